begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

lock table sluice.task, sluice.result in access exclusive mode;
select max(n) + 1 as n, max(end_id) as first from sluice.id_range \gset
select sluice.make_range(:n, :first, :first + 10) \g /dev/null
select is((select format('%s %s', first_id, end_id) from sluice.id_range where n = :n),
  format('%s %s', :first, :first + 10), 'noted');
insert into sluice.task (id, created_at, model, priority, tenant, prompt)
  values (:first + 9, at(0), 1, 0, 'default', 'x');
select is((select tableoid::regclass::text from sluice.task where id = :first + 9),
  'sluice.task_' || :n, 'its last task');
select is((error_of(format('insert into sluice.task (id, created_at, model, priority, tenant,
  prompt)
  values (%s, %L, 1, 0, ''default'', ''x'')', :first + 10, at(0)))).code, '23514',
    'not the one behind it');

select * from finish();
rollback;
