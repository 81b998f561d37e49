begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select id_of(:'m') as id \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 2) \g /dev/null
select is(sluice.probe_at(model_row(:'m'), at(0)), null, 'closed: at any time');
select sluice.move_breaker(:id, 'closed', 'open', 'test', at(0)) \g /dev/null
select is(sluice.probe_at(model_row(:'m'), at(5)), at(30), 'open: breaker_open later');
select is(sluice.probe_at(model_row(:'m'), at(-5)), null, 'a clock set back: at any time');
select claimed(:w, 1, at(30)) \g /dev/null
select is(sluice.probe_at(model_row(:'m'), at(31)), 'infinity',
  'half open: when its probe has ended');

select * from finish();
rollback;
