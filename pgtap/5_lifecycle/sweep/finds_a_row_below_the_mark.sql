begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m', p_now => at(0)) as t \gset
select given_mark(:'m', at(10));

select is(claimed(:w, 10, at(11)), '{}',
  'a row that committed later than the lag is not seen by claims');
select is(sluice.sweep(at(11)), 1, 'the sweep finds it');
select is(marked(:'m'), at(0), 'and lowers the mark to it');
select is(claimed(:w, 10, at(11)), array[:t]::bigint[], 'now it is claimed');

select * from finish();
rollback;
