begin;
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
select given_model() as n \gset
select given_worker(array[:'m']) as w \gset
create function given(p_model text, p_tenant text, p_metadata jsonb, p_batch bigint) returns bigint
  language sql
as $$ select sluice.submit('x', p_model, tenant => p_tenant, metadata => p_metadata,
  batch_id => p_batch, p_now => at(0)) $$;
select given(:'m', 'a', '{"team": "x", "n": 1}', 1) as running \gset
select claimed(:w, 1) \g /dev/null
select given(:'m', 'a', '{"team": "x"}', 1) as queued \gset
select given(:'m', 'a', '{"team": "x"}', 2) as waiting \gset
select given(:'m', 'a', '{"team": "y"}', 1) as other_team \gset
select given(:'m', 'b', '{"team": "x"}', 1) as other_tenant \gset
select given(:'n', 'a', '{"team": "x"}', 1) as other_model \gset
select is(sluice.cancel_all(:'m', 'a', '{"team": "x"}', p_now => at(2)), 3::bigint,
  'by model, tenant and metadata');
select is(array[places(:queued), places(:waiting), places(:running)],
  array['cancelled', 'cancelled', 'lease'], 'in queue and backlog they end');
select is((select array_agg(task_id) from sluice.heartbeat(:w, at(3))), array[:running::bigint],
  'the running one is aborted');
select is((select count(*) from unnest(array[:other_team, :other_tenant, :other_model]) id
  where places(id) = 'cancelled'), 0::bigint, 'the others stay');
select is(sluice.cancel_all(:'m', 'a', '{"team": "x"}', p_now => at(3)), 0::bigint,
  'again: nothing is left to cancel');
select is(sluice.cancel_all(batch_id => 1, model => :'n', p_now => at(3)), 1::bigint, 'by batch');
select is(sluice.cancel_all(:'m', p_now => at(3)), 2::bigint, 'by model alone');
select is((select count(*) from sluice.result where status = 'cancelled' and finished_at <> at(2)
  and finished_at <> at(3)
  and model = :'m'), 0::bigint, 'each at the time of its call');

select * from finish();
rollback;
