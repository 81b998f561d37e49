-- sluice.import_ends, sluice.check_end
begin;
\set alone
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_worker(array[:'m']) as worker \gset
select given_task(:'m', prompt => 'secret') as prompted,
  sluice.submit(request => '{"input": "secret"}', model => :'m', p_now => at(0)) as verbatim \gset
select completed(:worker, told(t.task_id, 'solved', t.fence, 'yes')) from
  sluice.claim(:worker, null, 2, at(1)) t \g /dev/null
select sluice.forget(id, at(5)) from sluice.tasks \g /dev/null
select jsonb_agg(line::jsonb order by id) as lines from sluice.export_tasks(0, :verbatim) \gset

select array(select sluice.import_tasks(:'lines', 'here', at(10))) as ids \gset
create function without_ids(p_id bigint) returns jsonb language sql
as $$ select to_jsonb(t) - 'id' from sluice.tasks t where t.id = p_id $$;
select is(without_ids((:'ids'::bigint[])[1]), without_ids(:prompted), 'one that had a prompt');
select is(without_ids((:'ids'::bigint[])[2]), without_ids(:verbatim), 'one that had a request');
select is((select count(*) from sluice.task
    where id = any (:'ids'::bigint[]) and forgotten_at <= at(10)), 2::bigint,
  'they stay forgotten');
select is((error_of(format('select sluice.redrive(%s)', (:'ids'::bigint[])[1]))).code, 'SL004',
  'and are not called with nothing to say');
select is((error_of(format('select sluice.import_tasks(%L, ''there'', at(10))',
    jsonb_set(:'lines', '{0, request}', '"{}"')))).message,
  'task 1: exactly one of prompt and request must be given', 'a request leaves no empty prompt');

select * from finish();
rollback;
