begin;
\ir ../../_helpers.sql
select plan(5);

create function checked(p_task jsonb) returns text language sql
as $$ select message
  from error_of(format('select sluice.check_element(%L, ''{prompt,priority}'')', p_task)) $$;
select is(checked('{"prompt": "p", "priority": 3}'), null, 'a good one');
select matches(checked('[1]'), 'array', 'no object');
select matches(checked('{"prompt": 1}'), 'prompt is a JSON number', 'a prompt that is no text');
select matches(checked('{"priority": "high"}'), 'priority "high"', 'a value of another type');
select ok(length(checked(jsonb_build_object(repeat('k', 5000), 1))) < 300, 'a long key is cut');

select * from finish();
rollback;
