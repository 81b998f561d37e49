begin;
\ir ../../_helpers.sql
select plan(3);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as t \gset
select is(sluice.explain_lease(t, at(1)), null, 'nobody has it') from sluice.task t where id = :t;
select claimed(:w, 1) \g /dev/null
select is(sluice.explain_lease(t, at(2)),
  format('processing by worker test since 00:00:01 (attempt 1 of 3 on %s)', :'m'), 'who has it')
from sluice.task t where id = :t;
select is(sluice.explain_lease(t, at(99)),
  format('held by worker test, which stopped proving life at 00:00:00: it will be taken back '
  '(attempt 1 of 3 on %s)', :'m'), 'and whether he lives') from sluice.task t where id = :t;

select * from finish();
rollback;
