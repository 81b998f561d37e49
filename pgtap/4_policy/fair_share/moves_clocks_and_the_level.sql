begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(4);

select given_model() as m \gset
select sluice.note_clocks(id_of(:'m'), array[turned('a', 0, 5), turned('b', 3, 4),
  turned('a', 5, 7)]) \g /dev/null
select is(array[clock(:'m', 'a'), clock(:'m', 'b')], '{7,4}', 'each to where its last task ends');
select is(clock(:'m'), 5::float8, 'the level to the start of the last');
select sluice.note_clocks(id_of(:'m'), array[turned('b', 4, 6)]) \g /dev/null
select is(clock(:'m'), 5::float8, 'never back');
select is((select count(*) from sluice.tenant_clock where model = id_of(:'m')), 4::bigint,
  'by adding rows');

select * from finish();
rollback;
