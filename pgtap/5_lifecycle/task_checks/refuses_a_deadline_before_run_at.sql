-- sluice.check_times
begin;
\ir ../../_helpers.sql
select plan(10);

select given_model() as m \gset
create function refused(p_sql text) returns text language sql as $$
  select concat_ws(' ', e.code, e.message) from error_of(p_sql) e
$$;
create function tasks(p_run_at text, p_key text default null) returns jsonb language sql as $$
  select jsonb_build_array(jsonb_build_object('prompt', 'x', 'model', (select max(name)
      from sluice.models where name like 'model-' || pg_backend_pid() || '-%'),
    'run_at', p_run_at, 'deadline', '2999-01-02T00:00:00Z', 'idempotency_key', p_key))
$$;
create function said() returns text language sql as $$
  select 'deadline "2999-01-02T00:00:00+00:00" is not after run_at "2999-01-03T00:00:00+00:00"'
$$;
select is(refused(format($$select sluice.submit('x', %L, run_at => '2999-01-03 00:00Z',
  deadline => '2999-01-02 00:00Z')$$, :'m')), 'SL004 ' || said(), 'it would never begin');
select is(refused(format($$select sluice.submit('x', %L, run_at => '2999-01-02 00:00Z',
  deadline => '2999-01-02 00:00Z')$$, :'m')) ^@ 'SL004 deadline', true,
  'nor would it at that moment');
select lives_ok(format($$select sluice.submit('x', %L, run_at => '2999-01-01 00:00Z',
  deadline => '2999-01-02 00:00Z')$$, :'m'), 'a deadline after it is fine');
select is(refused(format('select sluice.submit_many(%L)', tasks('2999-01-01T00:00:00Z')
  || tasks('2999-01-03T00:00:00Z'))), 'SL004 task 2: ' || said(), 'in bulk, too');
select is(refused(format('select sluice.task_sums(%L)', tasks('2999-01-03T00:00:00Z'))),
  'SL004 task 1: ' || said(), 'in a dry run');
select is(refused(format('select sluice.import_tasks(%L, %L)', jsonb_build_array(
    tasks('2999-01-03T00:00:00Z') -> 0 #- '{idempotency_key}' || '{"id": 1, "status": "queued",
    "created_at": "2039-12-31"}'), 'there')), 'SL004 task 1: ' || said(), 'and in an import');
select is((select concat_ws(' ', code, param, message) from sluice.submit_each(array[
    (tasks('2999-01-03T00:00:00Z') -> 0)::text], '{null}', '{null}')),
  'SL004 deadline ' || said(), 'over HTTP');

-- A task of before this rule.
select sluice.submit('x', :'m', deadline => '2999-01-02 00:00Z', idempotency_key => 'k') as first
\gset
select is(sluice.submit('x', :'m', run_at => '2999-01-03 00:00Z', deadline => '2999-01-02 00:00Z',
  idempotency_key => 'k'), :first::bigint, 'a submit that is repeated finds its task');
select is((select * from sluice.submit_many(tasks('2999-01-03T00:00:00Z', 'k'))), :first::bigint,
  'also in bulk');
select is(refused(format('select sluice.submit_many(%L)', tasks('2999-01-03T00:00:00Z', 'l')))
  ^@ 'SL004', true, 'another key does not');

select * from finish();
rollback;
