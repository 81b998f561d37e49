begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a, given_tenant('sluice_submitter') as b \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m', tenant => :'a') \g /dev/null
select given_task(:'m', tenant => :'b') as leased \gset
select claimed(:w, 2) \g /dev/null
select given_task(:'m', tenant => :'a'),
  given_task(:'m', tenant => :'a', run_at => at(60)) \g /dev/null
select given_task(:'m', tenant => :'b') as queued,
  given_task(:'m', tenant => :'b', run_at => at(60)) as later \gset
set local role :"a";
select is(sluice.cancel_all(model => :'m'), 3::bigint, 'its own, wherever they are');
select is((error_of(format('select sluice.cancel_all(tenant => %L)', :'b'))).code, 'SL009',
  'it may not name another');
reset role;
select is(array[places(:leased), places(:queued), places(:later)], '{lease,queue,later}',
  'what is another''s waits or goes on');
select is_empty(format('select from sluice.cancellation where task_id = %s', :leased),
  'and no call of it is aborted');
select is(sluice.cancel_all(model => :'m'), 3::bigint,
  'who is bound to no tenant ends everybody''s');

select * from finish();
rollback;
