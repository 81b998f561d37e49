begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a \gset
select given_model() as b \gset
select sluice.count_ended_calls(id_of(:'a'), 2), sluice.count_ended_calls(id_of(:'b'), 1);
select is(array[sluice.counter('ended', id_of(:'a')), sluice.counter('ended', id_of(:'b'))],
  array[2, 1]::bigint[], 'two and one');
select sluice.count_ended_calls(id_of(:'a'), 50);
select is(sluice.calls_ended(id_of(:'a')), 52::bigint, 'and 50 more');
select forget_counter('ended', :'a') \g /dev/null
select is(sluice.calls_ended(id_of(:'a')), null, 'unknown after a crash');

select * from finish();
rollback;
