begin;
\ir ../../_helpers.sql
select plan(1);

-- A row that nobody noted plays what a look would read in vain.
select given_model() as m \gset
select sluice.submit('x', :'m', p_now => at(0)) \g /dev/null
delete from sluice.ready_line where line = id_of(:'m');
select is((select sluice.first_task_at(m, at(1)) from sluice.models m where m.name = :'m'), null,
  'not into another');

select * from finish();
rollback;
