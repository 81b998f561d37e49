begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m, given_model() as n \gset
select given_route(:'m') as r \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'r') as t \gset
select claimed(:w, 1) \g /dev/null
select sluice.complete(:w, array[
  row(:t, 1, 'failed', null, null, 'HTTP 400: no', 'http_400', 400, null, null, null,
    null)::sluice.outcome],
  at(5)) \g /dev/null
create function meant(name text, error_like text default null, error_code text default null,
  since timestamptz default null)
returns boolean language sql
as $$
  select sluice.end_is_meant(sluice.task_filter_of(meant.name, null, null, null, meant.since, null,
    meant.error_like, meant.error_code), t, r, false)
  from sluice.task t join sluice.result r on r.task_id = t.id where t.id = currval('sluice.task_id')
$$;
select is(meant(null), true, 'no condition');
select is(meant(:'r'), true, 'the route that it named');
select is(meant(:'m', 'HTTP 4%', 'http_400', at(5)), true,
  'the model that it ended at, its error and its time');
select is(coalesce(meant(:'n'), false), false, 'another model');
select is(meant(null, 'HTTP 5%'), false, 'another text');
select is(meant(null, null, 'http_500'), false, 'another code');
select is(meant(null, since => at(6)), false, 'an earlier end');

select * from finish();
rollback;
