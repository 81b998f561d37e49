begin;
\set alone
\ir ../_helpers.sql
select plan(14);

select given_model() as m \gset
select given_task(:'m') as t \gset
set local role sluice_worker;
select sluice.register_worker('w', 1, array[:'m']) as w \gset
select is((select task_id from sluice.claim(:w)), :t::bigint, 'it claims');
select is((select prompt from sluice.requests(:w)), 'question', 'reads what it claimed');
select is((select count(*) from sluice.heartbeat(:w)), 0::bigint, 'proves life');
select lives_ok(format('select sluice.next_permit_at(%L), sluice.wake(), sluice.recover(%s),
  sluice.sweep(), sluice.unfinished(%2$s)', :'m', :w), 'wakes, recovers, sweeps');
select lives_ok(format('select sluice.become_watcher(%1$s), sluice.resign_watcher(%1$s, false)',
  :w), 'becomes the watcher and resigns');
select lives_ok(format('select sluice.drop_sleeper_locks(b.locks) '
                       'from sluice.take_sleeper_locks(%s, ''{}'') b', :w), 'sleeps and wakes');
select is(completed(:w, told(:t, 'solved')), true, 'completes');
select is(sluice.unregister_worker(:w), 0, 'and leaves');
select is((select (c.model).name from sluice.configuration(array[:'m']) c), :'m',
  'it reads its configuration');
select throws_ok(c, '42501', null, c || ' is not for it')
from unnest(array['select * from sluice.task', 'select * from sluice.lease',
  'delete from sluice.result',
  'select * from sluice.models', 'select sluice.take_permits(null, 1, now())']) c;

select * from finish();
rollback;
