begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
create function submitted(p_keys text[]) returns bigint[] language sql
as $$
  select sluice.submit_drafts(
    array(select sluice.draft_of(jsonb_populate_record(null::sluice.task_draft, jsonb_build_object(
    'model', m.name, 'prompt', k, 'idempotency_key', k))) from unnest(p_keys) k), null, null, 1,
    at(1))
  from (select max(name) as name from sluice.models
    where name like 'model-' || pg_backend_pid() || '-%') m
$$;
select submitted(array['c', 'a', 'b']) as ids \gset
select is(array(select prompt from sluice.task t join unnest(:'ids'::bigint[]) with ordinality i(id,
  n) using (id) order by n), array['c', 'a', 'b'], 'an id for each');
select is(submitted(array['b', 'c']), array[(:'ids'::bigint[])[3], (:'ids'::bigint[])[1]],
  'a key used before gives its task');
select is(submitted('{}'), '{}', 'none is none');

select * from finish();
rollback;
