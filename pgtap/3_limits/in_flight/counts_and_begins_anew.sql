begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select sluice.count_claimed(id_of(:'m'), 1), sluice.count_claimed(id_of(:'m'), 4) \g /dev/null
select is(sluice.in_flight(id_of(:'m')), 5::bigint, 'one, and four');
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 3) \g /dev/null
select forget_counter('claimed', :'m'), forget_counter('ended', :'m') \g /dev/null
select is(cardinality(claimed(:w, 2)), 2, 'a claim after a crash');
select is(sluice.counter('claimed', id_of(:'m')) - sluice.counter('ended', id_of(:'m')), 2::bigint,
  'counts anew what is under way');

select * from finish();
rollback;
