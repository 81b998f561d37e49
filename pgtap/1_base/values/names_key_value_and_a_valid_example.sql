begin;
\ir ../../_helpers.sql
select plan(8);

create function wrong(p_values jsonb) returns text language plpgsql
as $$
declare
  v_key text;
  v_hint text;
begin
  perform sluice.check_types('task_draft', p_values);
  return 'none';
exception when sqlstate 'SL004' then
  get stacked diagnostics v_key = column_name, v_hint = pg_exception_hint;
  return concat_ws(' | ', v_key, sqlerrm, nullif(v_hint, ''));
end
$$;
select is(wrong('{"priority": "urgent"}'),
  'priority | priority "urgent" is not a whole number up to 2147483647 | '
    || '-100 to 100, higher first; over HTTP also "hot" (50) and "cold" (0).',
  'a word for a number');
select is(wrong('{"max_attempts": 1.5}'),
  'max_attempts | max_attempts 1.5 is not a whole number up to 2147483647', 'a fraction');
select is(wrong('{"batch_id": true}'), 'batch_id | batch_id true is not a whole number', 'true');
select is(wrong('{"deadline": "soon"}'),
  'deadline | deadline "soon" is not a time | Such as "2030-01-01T12:00:00Z".', 'no time');
select is(wrong('{"deadline": "2030-13-01", "prompt": "x"}'),
  'deadline | deadline "2030-13-01" is not a time | Such as "2030-01-01T12:00:00Z".',
    'a thirteenth month');
select is(length(wrong(jsonb_build_object('deadline', repeat('x', 1000)))) < 200, true,
  'a long value is cut');
select is(wrong('{"deadline": "2030-01-01", "priority": "7"}'), 'none', 'what fits');
select is(wrong('{"colour": 1}'), 'none', 'what is no column');

select * from finish();
rollback;
