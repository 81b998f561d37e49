begin isolation level repeatable read;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select sluice.notify_ready(id_of(:'m'));
select sluice.forget_idle_lines(at(0));
select isnt_empty(format('select from sluice.ready_line where line = %s', id_of(:'m')),
  'it might not see what was just committed');

select * from finish();
rollback;
