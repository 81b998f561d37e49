-- sluice.after_model_changes
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select id_of(:'m') as id \gset
prepare history as select from_state || ' ' || to_state || ' ' || reason from sluice.breaker_events
  where model = :'m' order by id;
select sluice.close_until(:'m', 'infinity', 'credential: HTTP 401', 'secret env:KEY') \g /dev/null
select sluice.close_model(:'m', 'infinity', 'again') \g /dev/null
update sluice.models set rpm = 60 where id = :id;
select sluice.resume(:'m') \g /dev/null
select results_eq('history',
  array['closed parked credential', 'parked closed it was opened'], 'once each, also by plain SQL');
select sluice.close_model(:'m', now() + interval '1 hour') \g /dev/null
select results_eq('history',
  array['closed parked credential', 'parked closed it was opened'],
    'a closure that ends by itself is none');
select sluice.move_breaker(:id, 'closed', 'open', 'down', now()) \g /dev/null
update sluice.models set closed_until = 'infinity' where id = :id;
select is((select from_state || ' ' || to_state from sluice.breaker_events where model = :'m'
  order by id desc limit 1), 'open parked', 'the state of the breaker stays');
select * from finish();
rollback;
