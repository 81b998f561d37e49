begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(3);

select given_model() as m \gset
select is(clock(:'m', 'a'), null, 'none yet');
select sluice.note_clocks(id_of(:'m'), array[turned('a', 0, 5)]),
  sluice.note_clocks(id_of(:'m'), array[turned('a', 5, 7)]) \g /dev/null
select is(clock(:'m', 'a'), 7::float8, 'the last one');
select is(sluice.clock_of(id_of(:'m'), 1::smallint, sluice.tenant_key('a')), null, 'of its rank');

select * from finish();
rollback;
