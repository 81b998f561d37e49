begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select sluice.submit('x', :'m', batch_id => 7, p_now => at(0)) as leased \gset
select claimed(:w, 1) \g /dev/null
select sluice.submit('x', :'m', batch_id => 7, p_now => at(0)) as mine \gset
select sluice.submit('x', :'m', batch_id => 8, p_now => at(0)) as other \gset
select sluice.submit('x', :'m', batch_id => 7, p_now => at(0)) as later \gset
select sluice.task_filter_of(:'m', null, null, 7, null, at(1)) as f \gset
-- done: how many of one place.
create function done(p_place text, p_filter sluice.task_filter, p_until bigint) returns bigint
  language sql
as $$ select done from sluice.bulk_part('cancel', p_filter, jsonb_build_object('places',
  array[p_place], 'until', p_until), 'infinity', at(1)) $$;
select is(done('queue_' || id_of(:'m'), :'f', :other), 1::bigint, 'one');
select is(array[places(:mine), places(:other), places(:later), places(:leased)],
  array['cancelled', 'queue', 'queue', 'lease'], 'of this batch, in this place, up to that task');
select is(done('lease', :'f', :other), 1::bigint, 'a running one is marked');
select is(done('lease', :'f', :other), 0::bigint, 'once');

select * from finish();
rollback;
