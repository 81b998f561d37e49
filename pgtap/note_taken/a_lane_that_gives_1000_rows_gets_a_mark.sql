begin;
\ir ../_helpers.sql
select plan(6);

select given_model() as m \gset
select 'queue_' || id_of(:'m') as line \gset
select given_worker() as w \gset
select given_tasks(:'m', 1002) \g /dev/null
select is(cardinality(claimed(:w, 1)), 1, 'one row is taken');
select is(cardinality(claimed(:w, 1000)), 1000, 'then 1,000');
select is((select array_agg(rank::int) from sluice.lane where line = :'line'), array[0], 'its lane has a mark now');
select is(cardinality(claimed(:w, 10, at(100))), 1, 'the next claim empties it');
select is((select sluice.mark(id) from sluice.lane where line = :'line'), at(0) - interval '1 microsecond',
  'and moves the mark to before the row it took');
select claimed(:w, 10, at(100)) \g /dev/null
select is((select sluice.mark(id) from sluice.lane where line = :'line'), at(99.75), 'a claim that finds it empty moves it up to the lag');

select * from finish();
rollback;
