-- sluice.now_for The attack: redrive in 2001 overtakes everybody, and what was cancelled at
-- infinity is never forgotten.
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a \gset
select sluice.submit('x', :'m', tenant => :'a') as one,
  sluice.submit('x', :'m', tenant => :'a') as two,
  sluice.submit('x', :'m', tenant => :'a') as three \gset
set local role :"a";
select sluice.cancel(:one, 'infinity'),
  sluice.cancel_all(tenant => :'a', p_now => 'infinity') \g /dev/null
reset role;
select is(array(select finished_at < now() + interval '1 hour' from sluice.result
  where task_id in (:one, :two, :three)), '{t,t,t}'::boolean[], 'a cancellation is of now');
set local role :"a";
select sluice.redrive(:one, '2001-01-01') \g /dev/null
select sluice.forget(:two, '2001-01-01'),
  sluice.forget_all(tenant => :'a', p_now => '2001-01-01') \g /dev/null
select alike(sluice.explain(:three, '2001-01-01'), 'cancelled% at __:__:__', 'an explanation, too');
reset role;
select cmp_ok((select ready_at from sluice.queue where task_id = :one), '>',
  now() - interval '1 hour', 'a redrive');
select cmp_ok((select forgotten_at from sluice.task where id = t), '>', now() - interval '1 hour',
  'a forgetting')
from unnest(array[:two, :three]) t;
select * from finish();
rollback;
