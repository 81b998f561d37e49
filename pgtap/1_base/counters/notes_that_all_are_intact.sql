begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select sluice.set_counter('bucket', id_of(:'m'), 7) \g /dev/null
select setval('sluice.intact', 0, false) \g /dev/null
select results_eq('select mended, locked from sluice.mend_sequences()', 'values (0, 0)',
  'nothing to do');
select ok(sluice.are_intact(), 'which is noted');
select is(sluice.counter('bucket', id_of(:'m')), 7::bigint, 'sound ones keep their values');
set local role sluice_worker;
select lives_ok('select sluice.mend_sequences()', 'workers may call it');
reset role;

select * from finish();
rollback;
