begin;
\ir ../../_helpers.sql
select plan(3);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 2) as ts \gset
select claimed(:w, 2) \g /dev/null
select is(sluice.explain_result((:'ts'::bigint[])[1], at(3)), null, 'it has not');
select completed(:w, told((:'ts'::bigint[])[1], 'solved')),
  completed(:w, told((:'ts'::bigint[])[2], 'failed', error => E'no\n way')) \g /dev/null
select is(sluice.explain_result((:'ts'::bigint[])[1], at(3)),
  format('solved on %s at 00:00:02 after 1 attempt', :'m'), 'solved');
select is(sluice.explain_result((:'ts'::bigint[])[2], at(3)),
  format('failed on %s at 00:00:02 after 1 attempt: no way; redrive with '
  'sluice redrive %s', :'m', (:'ts'::bigint[])[2]), 'failed, on one line, with what to do');

select * from finish();
rollback;
