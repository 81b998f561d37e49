-- sluice.facts_of, sluice.lines_of_task
-- The attack: a row that is handed on whole is read whole. A filter over the ids of 120 tasks of
-- 10 MB took 35 s, and another tenant's cancel beside it as long; a step that wrote 4 MB of what a
-- batch puts out read the answers to all its thousand lines.
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(7);

-- noise: 300 kB that do not compress.
select string_agg(md5(n::text || random()), '') as noise from generate_series(1, 9600) n \gset
select given_model() as m, given_worker() as w \gset
insert into sluice.fallbacks values (:'m', 'breaker_open', given_model());
select array_agg(given_task(:'m', prompt => :'noise')) as ids from generate_series(1, 10) \gset
-- texts_read: what has been fetched of the tables of long texts, in blocks, since the last look.
create temporary table fetched (n bigint);
insert into fetched values (0);
create function texts_read() returns bigint language plpgsql as $$
declare
  v_now bigint := (select sum(pg_stat_get_xact_blocks_fetched(c.reltoastrelid)) from pg_class c
    where c.relnamespace = 'sluice'::regnamespace and c.reltoastrelid <> 0);
  v_last bigint := (select f.n from fetched f);
begin
  update fetched set n = v_now;
  return v_now - v_last;
end
$$;
select texts_read() \g /dev/null
select octet_length(prompt || '') from sluice.task where id = any (:'ids'::bigint[]) \g /dev/null
select cmp_ok(texts_read(), '>', 300::bigint, 'to read them takes so many blocks');

select sluice.unfinished_places(jsonb_populate_record(null::sluice.task_filter,
  jsonb_build_object('ids', :'ids'::bigint[], 'is_bound', false, 'tenants', '{}'::text[])))
\g /dev/null
select is(texts_read(), 0::bigint, 'to find the lines of chosen ids none');
select sluice.leave_some('queue_' || id_of(:'m'), :'ids'::bigint[], model_row(:'m'), at(1))
\g /dev/null
select is(texts_read(), 0::bigint, 'nor to send them to a fallback');
select is((select count(*) from sluice.list_tasks(1, max_bytes => 400000)), 2::bigint,
  'a list of so many bytes');
select cmp_ok(texts_read(), '<', 150::bigint, 'reads these alone');

-- A page of what a batch puts out: as much as fits.
create or replace function sluice.batch_page_bytes() returns int language sql
as $$ select 300000 $$;
select given_batch(given_speaker(), 20) as b \gset
select advanced(:b, 'run') \g /dev/null
select given_end(t, p_response => to_json(:'noise'::text)::text) from unnest(tasks_of_batch(:b)) t
\g /dev/null
update sluice.batch set phase = 'write', position = 0 where id = :b;
select texts_read() \g /dev/null
select sluice.write_batch(batch_row(:b), at(3)) \g /dev/null
select is((batch_row(:b)).position, 1, 'a page of lines');
select cmp_ok(texts_read(), '<', 450::bigint, 'reads, and writes, its own alone');

select * from finish();
rollback;
