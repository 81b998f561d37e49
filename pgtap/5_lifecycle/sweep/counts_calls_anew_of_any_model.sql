-- sluice.advance_lines
begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 3) \g /dev/null
savepoint before;
select claimed(:w, 3) \g /dev/null
rollback to before;
select is(sluice.in_flight(id_of(:'m')), 3::bigint, 'a claim that was rolled back was counted');
select sluice.sweep(at(n)) from generate_series(2, 9) n \g /dev/null
select is(sluice.in_flight(id_of(:'m')), 0::bigint,
  'until a sweep comes to it, of few models each one');

select * from finish();
rollback;
