begin;
\ir ../../_helpers.sql
select plan(4);

-- The deletion of a version alters waits_<line>, so it waits for a submit whose task is only in
-- later. (That of a model drops load_<model>, which this transaction has locked anyway.)
create function held(p_relation text) returns bigint language sql
as $$ select count(*) from pg_locks where pid = pg_backend_pid() and mode = 'RowExclusiveLock'
  and relation = ('sluice.' || p_relation)::regclass $$;
-- submits: whether waits_<line> of a new model's version was held before and after p_submit, with
-- %L the model's name.
create function submits(p_submit text) returns bigint[] language plpgsql
as $$
declare
  v_model text := given_model();
  v_before bigint;
  v_line text;
begin
  insert into sluice.payload_schema (target, version) values (v_model, 'v');
  v_line := 'waits_' || sluice.line_name(sluice.line_of(id_of(v_model), null, null, 'v', null));
  v_before := held(v_line);
  execute format(p_submit, v_model);
  return array[v_before, held(v_line)];
end
$$;

select is(submits('select sluice.submit(''x'', %L, p_now => at(0))'), '{0,0}',
  'the queue of a task without a version suffices');
select is(submits('select sluice.submit(''x'', %L, schema_version => ''v'', run_at => at(9),
  p_now => at(0))'), '{0,1}', 'one with a version holds its line');
select is(submits('select sluice.submit_many(jsonb_build_array(jsonb_build_object(''prompt'', ''x'',
    ''model'', %L::text, ''schema_version'', ''v'', ''run_at'', at(9))), at(0))'), '{0,1}',
  'of many, too');
select is(submits('select sluice.submit(''x'', %L, schema_version => ''v'', p_now => at(0))'),
  '{0,1}', 'also one for now');

select * from finish();
rollback;
