begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as a \gset
select given_model() as b \gset
select sluice.count_ended(array[
  row(1,
  1, at(0), at(0), null, 0, id_of(:'a'), 1, 1, 0, 0, 'default', 1, null)::sluice.lease,
  row(2, 1, at(0), at(0), null, 0, id_of(:'b'), 1, 1, 0, 0, 'default', 1, null)::sluice.lease,
  row(3, 1, at(0), at(0), null, 0, id_of(:'a'), 1, 1, 0, 0, 'default', 1, null)::sluice.lease]);
select is(array[sluice.counter('ended', id_of(:'a')), sluice.counter('ended', id_of(:'b'))],
  array[2, 1]::bigint[], 'two and one');
select lives_ok('select sluice.count_ended(null)', 'none is no error');

select * from finish();
rollback;
