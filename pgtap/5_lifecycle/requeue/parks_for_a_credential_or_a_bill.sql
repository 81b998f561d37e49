-- sluice.throttle
begin;
\ir ../../_helpers.sql
select plan(14);

-- The time that came with it does not matter: waiting mends neither.
create temporary table parked as
select code, given_model() as m, null::bigint as t from unnest(array['credential', 'billing']) code;
update parked set t = given_task(m);
select given_worker() as w \gset
select claimed(:w, 2) \g /dev/null
select is(completed(:w, row(t, 1, 'throttled', null, null, 'HTTP 401, BSECRETPROMPT: x', code, 401,
  5, null, null, false)::sluice.outcome), true, code || ' holds') from parked;
select is((model_row(m)).closed_until, 'infinity', code || ': closed until somebody resumes it')
from parked;
select is((model_row(m)).closed_reason, code || ': HTTP 401',
  code || ': the reason is in our words') from parked;
select is((model_row(m)).closed_detail, code || ': HTTP 401, BSECRETPROMPT: x',
  code || ': the backend''s are kept apart') from parked;
select is(queued(m), array[t], code || ': its task is queued again') from parked;

update parked set m = given_model();
update parked set t = given_task(m);
select claimed(:w, 2) \g /dev/null
select completed(:w, row(t, 1, 'throttled', null, null, null, code, null, 5, null, null,
  false)::sluice.outcome) from parked \g /dev/null
select is((model_row(m)).closed_reason, case code when 'billing' then code
  else 'credential: its secret cannot be read' end, code || ': nothing was sent') from parked;
select is((model_row(m)).closed_detail, code, code || ': no more was said') from parked;

select * from finish();
rollback;
