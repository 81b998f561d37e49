begin;
\ir ../../_helpers.sql
select plan(4);

set local timezone = 'UTC';
select given_model(rpm => 60) as dry, given_model(max_in_flight => 1) as full,
  given_model() as busy \gset
select given_worker(array[m]) from unnest(array[:'dry', :'full', :'busy']) m \g /dev/null
create function explained(p_model text) returns text language sql
as $$ select regexp_replace(sluice.explain(given_task(p_model), at(2)), '^.*? ahead, ', '') $$;
select given_task(m) from unnest(array[:'dry', :'full', :'busy']) m \g /dev/null
select c.task_id from sluice.worker w, sluice.claim(w.id, w.models, 1, at(1)) c
where w.models && array[:'dry', :'full', :'busy'] \g /dev/null
select given_task(m) from unnest(array[:'dry', :'full', :'busy']) m \g /dev/null
select is(explained(:'dry'), 'next permit 00:00:02 (rpm 60), expected start 00:00:03',
  'out of permits');
select is(explained(:'full'), 'all calls that max_in_flight allows are under way (1)', 'all calls');
update sluice.worker set slots = 1 where models = array[:'busy'];
select is(explained(:'busy'), 'all slots of its workers are busy (1)', 'all slots');
update sluice.models set closed_until = 'infinity', closed_reason = 'credential: 401'
where name = :'busy';
select is(explained(:'busy'), format('the model is parked until somebody runs '
  'sluice model resume %s (credential: 401)', :'busy'), 'parked');

select * from finish();
rollback;
