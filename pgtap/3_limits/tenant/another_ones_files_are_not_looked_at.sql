-- sluice.accept_files, sluice.list_files, sluice.all_files_bytes, sluice.count_files_bytes
-- The attack: 100,000 files of one tenant made uploads of others 17 times as long.
begin;
\set alone
\ir ../../_helpers.sql
select plan(7);

insert into sluice.file (bytes, lines, created_at, expires_at, purpose, filename, tenant)
select 1, 1, at(0), at(9), 'batch', 'x', case when n % 1000 = 0 then 'few' else 'many' end
from generate_series(1, 5000) n;
select setval('sluice.files_bytes', 7),
  setval('sluice.files_after', sluice.micros(clock_timestamp() + interval '1 minute')) \g /dev/null
select is(sluice.all_files_bytes(), 7::bigint, 'the last count holds for a while');
-- blocks: how many of the table and its indexes have been read.
create function blocks() returns bigint language sql as $$
  select sum(pg_stat_get_xact_blocks_fetched(c))::bigint from unnest('sluice.file'::regclass
    || array(select indexrelid::regclass from pg_index
      where indrelid = 'sluice.file'::regclass)) c
$$;
select blocks() as before \gset
select sluice.accept_files('few', 1) \g /dev/null
select cmp_ok(blocks() - :before, '<', 30::bigint, 'to accept one');
select blocks() as before \gset
select is(json_array_length(sluice.list_files('few', null, null, 9, false) -> 'data'), 5,
  'it lists its own');
select cmp_ok(blocks() - :before, '<', 60::bigint, 'and reads no others');
select is(sluice.list_files('few', null, null, 2, true) ->> 'has_more', 'true', 'a page');
select setval('sluice.files_after', 0) \g /dev/null
select is(sluice.all_files_bytes(), sluice.count_files_bytes(), 'then they are counted');
select setval('sluice.files_bytes', 7),
  setval('sluice.files_after', sluice.micros(clock_timestamp() + interval '1 day')) \g /dev/null
select is(sluice.all_files_bytes(), sluice.count_files_bytes(), 'also if the clock was set back');

select * from finish();
rollback;
