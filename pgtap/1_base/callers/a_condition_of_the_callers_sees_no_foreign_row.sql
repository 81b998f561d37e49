-- sluice.caller_scope
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a \gset
select given_tenant('sluice_submitter') as b \gset
select given_worker() as w \gset
select sluice.submit('secret of the other', :'m', tenant => :'b',
  max_attempts => 1) as foreign \gset
select claimed(:w, 1) \g /dev/null
select completed(:w, told(:foreign, 'failed', error => 'secret of the other')) \g /dev/null
create function leak(p text) returns boolean language plpgsql cost 0.000001
as $$ begin raise exception 'seen: %', p using errcode = 'P0001'; end $$;
set local role :"a";
select lives_ok(format('select * from sluice.%s where leak(error)', v), v || ' has a barrier')
from unnest(array['tasks', 'dead_letters', 'attempts']) v;
select lives_ok(format('select * from sluice.%s where leak(id::text)', v),
  v || ': also for a column that is not guarded')
from unnest(array['tasks', 'dead_letters', 'attempts']) v;
set local role :"b";
select throws_ok('select * from sluice.attempts where leak(error)', 'P0001', null,
  'its own rows do come so far');

select * from finish();
rollback;
