begin;
\ir ../_helpers.sql
select plan(8);

-- Whatever time came with it: waiting mends neither.
create temporary table parked as
select code, given_model() as m, null::bigint as t from unnest(array['credential', 'billing']) code;
update parked set t = given_task(m);
select given_worker() as w \gset
select claimed(:w, 2) \g /dev/null
select is(completed(:w, row(t, 1, 'throttled', null, null, 'HTTP 401', code, 401, 5, null, null, false)::sluice.outcome),
  true, code || ' holds') from parked;
select is((model_row(m)).closed_until, 'infinity', code || ': closed until somebody opens it') from parked;
select is((model_row(m)).closed_reason, code || ': HTTP 401', code || ': the reason is shown') from parked;
select is(queued(m), array[t], code || ': its task is queued again') from parked;

select * from finish();
rollback;
