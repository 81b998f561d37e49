-- sluice.require_ramp, sluice.pause_ramp, sluice.resume_ramp, sluice.move_ramp, sluice.stop_ramp,
-- sluice.ramps_kept_max
begin;
\set alone
\ir ../_helpers.sql
\ir ../_history.sql
\ir ../_ramps.sql
select plan(22);

select given_model() as old, given_model() as new, given_model() as third \gset
select given_route(:'old', :'new') as r \gset
update sluice.routes set weight = 0.25 where route = :'r' and model = :'new';
select given_looks();
select sluice.start_ramp(:'r', :'new', 0.5, 3, '1 minute', 10, p_now => at(0)) as ramp \gset
select is(ramp_now(:'r', at(0)), 'running 1 0.4286',
  'from a fifth to a half in thirds: three tenths');
select is(sluice.pause_ramp(:'r', 'lunch', at(1)), 'paused', 'it is paused');
select is((select reason from sluice.ramps(:'r')), format('ramp %s paused: lunch', :ramp), 'why');
select ended(:'new', 10, 0, at(30)) \g /dev/null
select is(ramp_now(:'r', at(100)), 'paused 1 0.4286', 'it makes no step');
select is(sluice.resume_ramp(:'r', p_now => at(120)), 'running', 'it is resumed');
select is(ramp_now(:'r', at(121)), 'running 1 0.4286', 'its step begins anew');
select ended(:'new', 10, 0, at(130)) \g /dev/null
select is(ramp_now(:'r', at(180)), 'running 2 0.6667', 'then it goes on');
select sluice.pause_ramp(:'r', p_now => at(181)) \g /dev/null
select is(sluice.pause_ramp(:'r', p_now => at(182)), 'paused', 'twice is once');
select is(sluice.stop_ramp(:'r', 'enough', at(190)), 'stopped', 'it is stopped');
select is(ramp_now(:'r', at(191)), 'stopped 2 0.2500', 'its weight is what it was before');
select is((select reason from sluice.revision where name = :'r' order by id desc limit 1),
  format('ramp %s stopped: enough', :ramp), 'a revision says why');
select is((error_of(format('select sluice.%s(%L)', f, :'r'))).code, 'SL006', f || ': there is none')
from unnest(array['pause_ramp', 'resume_ramp', 'stop_ramp']) f;
select sluice.start_ramp(:'r', :'new', 0.5, 3, '1 minute', 10, p_now => at(200)) \g /dev/null
select sluice.pause_ramp(:'r', p_now => at(201)) \g /dev/null
select ended(:'new', 0, 5, at(210)) \g /dev/null
select is(ramp_now(:'r', at(211)), 'aborted 1 0.2500', 'one that is paused is judged all the same');
select is((error_of(format('select sluice.start_ramp(%s)', arguments))).code, code, why)
from (values (format('%L, %L', :'r', :'third'), 'SL001', 'a model that the route does not have'),
  (format('%L, %L', 'nowhere', :'new'), 'SL001', 'an unknown route'),
  (format('%L, %L, 0.2', :'r', :'new'), 'SL004', 'no more than it has'),
  (format('%L, %L, 0.99', :'r', :'new'), '23514', 'more than 95 %'),
  (format('%L, %L, steps => 0', :'r', :'new'), '23514', 'no step')) c(arguments, code, why);
select sluice.start_ramp(:'r', :'new', 0.5) \g /dev/null
select is((error_of(format('select sluice.start_ramp(%L, %L, 0.6)', :'r', :'old'))).code, '23505',
  'a route has one ramp at a time');
create or replace function sluice.ramps_kept_max() returns int language sql as 'select 1';
select sluice.stop_ramp(:'r'), sluice.start_ramp(:'r', :'new', 0.5) \g /dev/null
select is((select count(*) from sluice.ramps()), 2::bigint,
  'those that ended are kept for a while');

select * from finish();
rollback;
