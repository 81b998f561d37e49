-- sluice.check_drafts
begin;
\ir ../../_helpers.sql
select plan(6);

select set_config('test.model', given_model(), true) \gset
create function pg_temp.tasks(p_count int, variadic p_bad int[] default '{}') returns jsonb
  language sql as $$
  select jsonb_agg(jsonb_build_object('prompt', 'p', 'model', current_setting('test.model'),
    'priority', case when n = any (p_bad) then 5000 else 0 end) order by n)
  from generate_series(1, p_count) n
$$;
create function pg_temp.place(p_tasks jsonb) returns int language sql as $$
  select substring(message from '^task ([0-9]+): ')::int
  from error_of(format('select sluice.read_drafts(%L, at(0))', p_tasks))
$$;
create view pg_temp.bad as select count, place from generate_series(1, 9) count
  cross join lateral generate_series(1, count) place;
select is_empty($$select * from pg_temp.bad
  where pg_temp.place(pg_temp.tasks(count, place)) is distinct from place$$,
  'each place of arrays of each length');
select is(pg_temp.place(pg_temp.tasks(2000, 1200, 700, 1999)), 700, 'of several the first');
select is(pg_temp.place(pg_temp.tasks(2) || jsonb_build_array(pg_temp.tasks(1))
  || pg_temp.tasks(2)), 3, 'one that is no object');
select is(pg_temp.place(pg_temp.tasks(3, 3) || '[{"prompt": "x", "model": "nobody"}]'), 3,
  'whatever is at fault');
select is(pg_temp.place(pg_temp.tasks(2) || '[{"prompt": "x", "model": "nobody"}]'
  || pg_temp.tasks(1, 1)), 3, 'the first');
update sluice.settings set tenant_max_priority = 5;
select is(pg_temp.place(jsonb_build_array(pg_temp.tasks(1) -> 0 || '{"tenant": "t"}',
  pg_temp.tasks(1) -> 0 || '{"priority": 6}',
  pg_temp.tasks(1) -> 0 || '{"tenant": "t", "priority": 6}')), 3, 'beyond its tenant''s limits');

select * from finish();
rollback;
