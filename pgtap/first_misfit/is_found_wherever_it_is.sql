begin;
\ir ../_helpers.sql
select plan(3);

select set_config('test.model', given_model(), true) \gset
create function pg_temp.tasks(p_count int, variadic p_bad int[] default '{}') returns jsonb language sql as $$
  select jsonb_agg(jsonb_build_object('prompt', 'p', 'model', current_setting('test.model'),
    'priority', case when n = any (p_bad) then 5000 else 0 end) order by n)
  from generate_series(0, p_count - 1) n
$$;
create view pg_temp.bad as select count, place from generate_series(1, 9) count cross join lateral generate_series(0, count - 1) place;
select is_empty($$select * from pg_temp.bad where sluice.first_misfit(pg_temp.tasks(count, place), at(0)) <> place$$,
  'each place of arrays of each length');
select is(sluice.first_misfit(pg_temp.tasks(2000, 1200, 700, 1999), at(0)), 700, 'of several the first');
select is(sluice.first_misfit(pg_temp.tasks(2) || jsonb_build_array(pg_temp.tasks(1)) || pg_temp.tasks(2), at(0)), 2,
  'one that is no object');

select * from finish();
rollback;
