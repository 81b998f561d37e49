-- sluice.follow_clock_back
begin;
\set alone
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(17);

-- an hour ahead
select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_priced_model() as m, given_model(tpm => 1000000) as closed \gset
select given_budget('model', :'m', 1000, 'rolling', 'UTC', '1 minute') as b \gset
select given_worker(array[:'m', :'closed'], at(3590)) as w \gset
select given_worker(array[:'m'], at(10)) as judge \gset
select sluice.sweep(at(3590)) \g /dev/null
select given_task(:'closed', p_now => at(3600)) as throttled,
  given_task(:'closed', p_now => at(3600)) as failing,
  given_task(:'closed', p_now => at(3600), run_at => at(7000)) as later \gset
select claimed(:w, 2, at(3601)) \g /dev/null
select completed(:w, told(:failing, 'retry'), at(3602)) \g /dev/null
update sluice.later set ready_at = at(3650) where task_id = :failing;
select completed(:w, told(:throttled, 'throttled', retry_after_ms => 20000), at(3602)) \g /dev/null
select given_calls(:'m', 10) \g /dev/null
select claimed(:w, 4, at(3603)) as held \gset
select is(stands(:'b', at(3603)), '0+400', 'calls are under way');
select given_worker(array[:'m'], at(3603)) as sleeper \gset
update sluice.worker set seen = at(3653) where id = :sleeper;
select sluice.sweep(at(3604)) \g /dev/null

insert into sluice.batch (input_file, created_at, expires_at, look_at, phase, endpoint,
  completion_window, output_lifetime)
values (1, at(3600), at(90000), at(3610), 'run', '/v1/chat/completions', '24h', '1 day')
returning id as batch \gset
select sluice.start_job('cancel', jsonb_build_object('model', :'m'), p_now => at(3600)) as job \gset
update sluice.job set look_at = at(3610) where id = :job;

select sluice.sweep(at(5)) \g /dev/null
select is((select look_at from sluice.batch where id = :batch), at(5), 'a batch goes on');
select is((select look_at from sluice.job where id = :job), at(5), 'so does a job');
select is((select seen from sluice.worker where id = :w), at(5), 'a worker was seen at most now');
select is((select count(*) from sluice.worker where dead_at is not null), 0::bigint,
  'and none is dead for that');
select is((select seen from sluice.worker where id = :sleeper), at(54),
  'one that sleeps may for as long as it might');
select is((select closed_until from sluice.models where name = :'closed'), at(23),
  'a model is closed for as long as its backend asked');
select is((select ready_at from sluice.later where task_id = :failing), at(51),
  'a retry has its backoff');
select is((select ready_at from sluice.later where task_id = :later), at(7000),
  'a time that somebody chose stays');
select is((select max(at) from sluice.spent), at(5), 'tokens leave their minute');
select is(stands(:'b', at(5)), '0+400', 'money is counted,');
select completed(:w, told((:'held'::bigint[])[1], 'solved', input_tokens => 20,
  output_tokens => 5), at(6)) \g /dev/null
select is(stands(:'b', at(6)), '25+300', 'and settled,');
select is(stands(:'b', at(66)), '0+0', 'for its minute');

select sluice.heartbeat(:judge, at(n)), sluice.recover(:judge, at(n))
from unnest(array[20, 30, 40]) n \g /dev/null
select is((select count(*) from sluice.lease where worker = :w), 0::bigint,
  'calls of a silent worker are taken back');

select sluice.sweep(at(60)) \g /dev/null
select sluice.close_until(:'closed', at(90), 'throttled: HTTP 429', null);
select sluice.sweep(at(59.5)) \g /dev/null
select is((select closed_until from sluice.models where name = :'closed'), at(90),
  'half a second is nothing');
select sluice.close_until(:'closed', at(9000), 'throttled: HTTP 429', null);
select sluice.sweep(at(40)) \g /dev/null
select is((select closed_until from sluice.models where name = :'closed'), at(9000),
  'nor is a closing time touched that no backend asks for');
select sluice.close_until(:'closed', at(90), 'by hand', null);
select sluice.sweep(at(30)) \g /dev/null
select is((select closed_until from sluice.models where name = :'closed'), at(90),
  'nor a person''s');

select * from finish();
rollback;
