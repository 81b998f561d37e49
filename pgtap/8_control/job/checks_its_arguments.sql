begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(26);

select given_model() as m \gset
-- refused: with which code, and which argument is at fault.
create function refused(p_sql text) returns text language plpgsql
as $$
declare
  v_code text;
  v_column text;
begin
  execute 'select sluice.start_job(' || p_sql || ')';
  return 'accepted';
exception when others then
  get stacked diagnostics v_code = returned_sqlstate, v_column = column_name;
  return concat_ws(' ', v_code, v_column);
end
$$;
select is(refused(sql), expected, sql) from (values
  ($$'explode', '{"everything": true}'$$, 'SL004 action'),
  ($$null, '{"everything": true}'$$, 'SL004 action'),
  ($$'redrive', jsonb_build_object('error_code', repeat('x', 9000))$$, 'SL004 filter'),
  ($$'cancel', '{}'$$, 'SL004 everything'),
  ($$'cancel', null$$, 'SL004 everything'),
  ($$'cancel', '{"metadata": {}}'$$, 'SL004 everything'),
  ($$'cancel', '{"colour": "red"}'$$, 'SL004 colour'),
  ($$'cancel', '{"since": "yesterday-ish"}'$$, 'SL004 since'),
  ($$'cancel', '{"status": "solved"}'$$, 'SL004 status'),
  ($$'cancel', '{"error_code": "http_500"}'$$, 'SL004 error_code'),
  ($$'move', '{"everything": true}'$$, 'SL004 target'),
  ($$'cancel', '{"everything": true}', target => 'm'$$, 'SL004 target'),
  ($$'redrive', '{"everything": true}', target => 'nonsense'$$, 'SL001 model'),
  ($$'cancel', '{"ids": []}'$$, 'SL004 ids'),
  ($$'cancel', '{"ids": [1, null]}'$$, 'SL004 ids'),
  ($$'cancel', '{"ids": ["one"]}'$$, 'SL004 ids'),
  ($$'cancel', jsonb_build_object('ids', array(select generate_series(1, 201)))$$, 'SL004 ids'),
  ($$'cancel', '{"ids": ["9007199254740993", 7]}', true$$, 'accepted'),
  ($$'prioritise', '{"everything": true}'$$, 'SL004 priority'),
  ($$'cancel', '{"model": "a", "route": "b"}'$$, 'SL004 model'),
  ($$'cancel', '{"model": "nonsense"}'$$, 'SL001 model'),
  ($$'redrive', '{"metadata": {"a": [1]}}'$$, 'SL004 metadata'),
  ($$'redrive', '{"error_like": "%"}', true$$, 'accepted')) c(sql, expected);
select is((select count(*) from sluice.job), 0::bigint, 'none of them is stored');
select lives_ok($$select sluice.check_job('cancel', jsonb_populate_record(
  null::sluice.job_conditions, '{"model": "m"}'), null, null)$$, 'one condition is enough');
select lives_ok($$select sluice.check_target(jsonb_populate_record(null::sluice.job,
  '{"action": "cancel"}'), null)$$, 'a cancel has no target');

select * from finish();
rollback;
