begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_tasks(:'m', 4) as ids \gset
select sluice.cancel((:'ids'::bigint[])[1], at(1)), sluice.cancel((:'ids'::bigint[])[2], at(5)),
  sluice.cancel((:'ids'::bigint[])[3], at(6)) \g /dev/null
select set_eq(format('select unnest(sluice.tasks_to_keep(r, at(5))) from sluice.id_range r '
                     'where %s between first_id and end_id - 1',
  (:'ids'::bigint[])[1]), (:'ids'::bigint[])[2:4],
    'finished at the cutoff or later, or not at all');
select is((select sluice.tasks_to_keep(r, at(5)) from sluice.id_range r order by n desc limit 1),
  '{}', 'nothing of an empty range');

select * from finish();
rollback;
