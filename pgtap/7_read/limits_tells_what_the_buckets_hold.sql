begin;
\ir ../_helpers.sql
select plan(5);

select given_model(rpm => 60, burst => 2, tpm => 100000) as m, given_model() as free \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 3) as ids \gset
select claimed(:w, 3, at(1)) \g /dev/null
select is((select (rpm, burst, permits_now, calls_last_minute, tpm) from
  sluice.model_limits(:'m', at(1))), (60, 2, 0::bigint, 2::bigint, 100000), 'requests');
select results_eq(format('select next_permit_at, tokens_reserved, tokens_free
    from sluice.model_limits(%L, at(1))', :'m'),
  format('select sluice.permit_at(sluice.request_quota(m), at(1)),
    (select sum(reserved_tokens)::bigint from sluice.lease where model = m.id),
    sluice.permits_now(sluice.token_quota(m), at(1)) from sluice.models m where name = %L', :'m'),
  'what explain and claims count with');
select completed(:w, told((:'ids'::bigint[])[1], 'solved', input_tokens => 30,
  output_tokens => 12), at(2)) \g /dev/null
select is((select (tokens_used_last_minute, calls_last_minute)
  from sluice.model_limits(:'m', at(2))), (42::bigint, 2::bigint), 'used and reserved apart');
select is((select l::text from sluice.model_limits(:'free', at(2)) l), '(,,,,0,,,,,)',
  'a model without limits has none');
select is((error_of('select * from sluice.model_limits(''nobody'')')).code, 'SL001',
  'nor has no model');
-- calls_of_minute

select * from finish();
rollback;
