-- sluice.start_ramp, sluice.take_ramp_step, sluice.set_ramped_weight, sluice.others_weight,
-- sluice.advance_ramp, sluice.begin_step, sluice.ramp_sums, sluice.ramps
begin;
\set alone
\ir ../_helpers.sql
\ir ../_history.sql
\ir ../_ramps.sql
select plan(16);

select given_model() as old, given_model() as new \gset
select given_route(:'old', :'new') as r \gset
update sluice.routes set weight = 0 where route = :'r' and model = :'new';
select given_looks();
select sluice.start_ramp(:'r', :'new', 0.3, 3, '1 minute', 10, reason => 'cheaper',
  p_now => at(0)) as ramp \gset
select is(ramp_now(:'r', at(0)), 'running 1 0.1111', 'it begins with its first step: a tenth');
select is((select array[reason, before ->> 'weight', after ->> 'model'] from sluice.revision
    where name = :'r' order by id desc limit 1),
  array[format('ramp %s: step 1 of 3, 10.0 %%: cheaper', :'ramp'), '0', :'new'],
  'a revision, with its reason');
select is(ramp_now(:'r', at(120)), 'running 1 0.1111', 'nothing is known of its calls: it waits');
select ended(:'old', 30, 0, at(130)), ended(:'new', 9, 0, at(131)) \g /dev/null
select is(ramp_now(:'r', at(132)), 'running 1 0.1111', 'too little is known');
select ended(:'new', 1, 0, at(133)) \g /dev/null
select is((select array[calls, errors, others_calls, others_errors] from sluice.ramps(:'r')),
  array[10, 0, 30, 0]::bigint[], 'it shows by what it is judged');
select is((select round(p95_s::numeric) from sluice.ramps(:'r')), 1.0, 'and the times');
select is(ramp_now(:'r', at(59)), 'running 1 0.1111', 'the step has not lasted yet');
select is(ramp_now(:'r', at(134)), 'running 2 0.2500', 'it goes on: two tenths');
select is(ramp_now(:'r', at(200)), 'running 2 0.2500', 'once, and each step has calls of its own');
update sluice.routes set weight = 10 where route = :'r' and model = :'old';
select ended(:'new', 10, 0, at(190)) \g /dev/null
select is(ramp_now(:'r', at(200)), 'running 3 4.2857',
  'shares are by the others'' present weights');
select ended(:'new', 10, 0, at(255)) \g /dev/null
select is(ramp_now(:'r', at(259)), 'running 3 4.2857', 'the last step lasts as long as the others');
select is(ramp_now(:'r', at(260)), 'done 3 4.2857', 'then it is done, and the weight stays');
select is((select count(*) from sluice.revision where name = :'r' and reason like 'ramp%'),
  3::bigint, 'a revision for each step');
select is((select array_agg(a.detail ->> 'reason' order by a.id) from sluice.audit a
    where a.object = :'r' and a.action = 'advance_ramp'),
  array[format('ramp %s: step 2 of 3, 20.0 %%', :'ramp'),
    format('ramp %s: step 3 of 3, 30.0 %%', :'ramp'), format('ramp %s done', :'ramp')],
  'and a row of the audit for whatever it did');
select is(ramp_now(:'r', at(9999)), 'done 3 4.2857', 'then nothing more');
select is(nullif(current_setting('sluice.reason', true), ''), null, 'later changes have no reason');

select * from finish();
rollback;
