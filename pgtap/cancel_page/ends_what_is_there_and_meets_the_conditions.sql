begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select sluice.submit('x', :'m', batch_id => 7, p_now => at(0)) as leased \gset
select claimed(:w, 1) \g /dev/null
select sluice.submit('x', :'m', batch_id => 7, p_now => at(0)) as mine \gset
select sluice.submit('x', :'m', batch_id => 8, p_now => at(0)) as other \gset
select sluice.submit('x', :'m', batch_id => 7, p_now => at(0)) as later \gset
select sluice.task_filter_of(:'m', null, null, 7, null, at(1)) as f \gset
select is((sluice.cancel_page('queue_' || id_of(:'m'), :'f', 0, :other, at(1))).cancelled, 1::bigint, 'one');
select is(array[places(:mine), places(:other), places(:later), places(:leased)], array['cancelled', 'queue', 'queue', 'lease'],
  'of this batch, in this place, up to that task');
select is((sluice.cancel_page('lease', :'f', 0, :other, at(1))).cancelled, 1::bigint, 'a running one is marked');
select is((sluice.cancel_page('lease', :'f', 0, :other, at(1))).cancelled, 0::bigint, 'once');

select * from finish();
rollback;
