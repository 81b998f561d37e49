begin;
\set alone
\ir ../_helpers.sql
select plan(15);

-- ends_in: in how many seconds p_count tasks of p_name would have ended.
create function ends_in(p_name text, p_count int, p_tenant text default 'default') returns numeric
language sql
as $$
  select round(extract(epoch from e.expected_finish - at(0)), 0) from sluice.estimate_many((
    select jsonb_agg(jsonb_build_object('model', p_name, 'prompt', 'x', 'tenant', p_tenant))
    from generate_series(1, p_count)), at(0)) e
$$;

-- given_pace: calls of p_model took p_call_s each, three minutes ago.
create function given_pace(p_model text, p_call_s float8) returns void language sql
as $$
  insert into sluice.history_row (step, at, model, tenant, called, call_s, input_tokens)
  values ('minute', at(-180), p_model, null, 10, 10 * p_call_s, 100)
$$;

select given_model(rpm => 60, burst => 1) as m, given_model() as other \gset
select is(ends_in(:'m', 600), null, 'nobody serves it');
select is((select why from sluice.estimate_many(jsonb_build_array(jsonb_build_object('model', :'m',
  'prompt', 'x')), at(0))), :'m' || ': no live worker serves the model', 'and that is why');
select given_worker() as w \gset

select is(ends_in(:'m', 600), 603::numeric, 'one a second');
select given_tasks(:'m', 120) \g /dev/null
select is(ends_in(:'m', 600), 723::numeric, 'those that wait go before');
select is(ends_in(:'other', 600), null, 'without a quota and a call nothing is known');
select matches((select why from sluice.estimate_many(jsonb_build_array(jsonb_build_object('model',
  :'other', 'prompt', 'x')), at(0))), 'no quota, and no call of it was timed', 'and that is why');

select given_pace(:'other', 20);
select is(ends_in(:'other', 600), 1220::numeric,
  'ten slots and 20 s a call: one every two seconds, and the last call');
update sluice.models set max_in_flight = 5 where name = :'other';
select is(ends_in(:'other', 600), 2420::numeric, 'five in flight: half as fast');
select is(sluice.call_rate(model_row(:'other'), 20, null, 10), 0.25::float8,
  'a rate is a second''s');
select is(ends_in(given_route(:'m', :'other'), 600), 598::numeric,
  'a route''s models share so that all end together');
select is(sluice.time_needed(10, '{0, 5}', '{1, 1}'), 7.5::float8, 'from when each is free');
select is(sluice.time_needed(10, '{0, 50}', '{1, 1}'), 10::float8,
  'one that is free too late is none');

select given_tenant(rpm => 6) as tenant \gset
select is(ends_in(:'other', 10, :'tenant') > ends_in(:'other', 10), true,
  'a tenant''s quota is slower');
select is(sluice.tenant_pace('nobody''s', 10, 10, at(0)), 0::float8, 'without a quota it is none');

select sluice.pause(:'m');
select is((select (rate is not null, why)
  from sluice.model_paces(array[model_row(:'m')], 1, at(0))),
  (true, 'the model is paused'::text),
  'why a model cannot take any, in the words of explain');

select * from finish();
rollback;
