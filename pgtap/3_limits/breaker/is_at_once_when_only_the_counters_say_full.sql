begin;
\ir ../../_helpers.sql
select plan(2);

-- A recount between the count of a call's end and its commit counts it once more.
select given_model(max_in_flight => 1) as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 2) \g /dev/null
select claimed(:w, 1) as ids \gset
select is(sluice.opens_at(model_row(:'m'), at(2)), 'infinity',
  'a model with one call of one is full');
select sluice.complete(:w, array(select told(t, 'solved') from unnest(:'ids'::bigint[]) t),
  at(2)) \g /dev/null
select sluice.set_counter('claimed', id_of(:'m'),
  sluice.counter('ended', id_of(:'m')) + 1) \g /dev/null
select is(sluice.opens_at(model_row(:'m'), at(3)), at(3),
  'without a lease it is not, whatever the counters say');

select * from finish();
rollback;
