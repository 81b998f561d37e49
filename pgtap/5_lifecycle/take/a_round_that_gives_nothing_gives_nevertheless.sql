-- sluice.take_turns
begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(1);

-- All are far ahead of their round, which has just begun.
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select waits(:'m', 'tenant ' || n, 2) from generate_series(1, 100) n \g /dev/null
select sluice.note_round(round_at(:'m', sluice.first_tenant()), sluice.first_tenant()),
  sluice.note_clocks(id_of(:'m'),
    array(select turned('tenant ' || n, 0, 100000) from generate_series(1, 100) n)) \g /dev/null
select is(cardinality(claimed(:w, 1, at(60))), 1, 'no permit is unused while anything waits');

select * from finish();
rollback;
