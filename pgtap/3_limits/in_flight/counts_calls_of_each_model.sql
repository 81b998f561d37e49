begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as a \gset
select given_model() as b \gset
select sluice.count_calls(array[id_of(:'a'), id_of(:'b')], '{2,1}');
select is(array[sluice.counter('ended', id_of(:'a')), sluice.counter('ended', id_of(:'b'))],
  array[2, 1]::bigint[], 'two and one');
select lives_ok('select sluice.count_calls(null, null)', 'none is no error');

select * from finish();
rollback;
