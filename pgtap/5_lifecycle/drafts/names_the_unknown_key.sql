begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select lives_ok(format('select sluice.read_drafts(%L, at(0))', jsonb_build_array((
    select jsonb_object_agg(attname, case attname when 'prompt' then 'p' when 'model' then :'m' end)
    from pg_attribute
    where attrelid = 'sluice.task_draft'::regclass and attnum > 0))),
      'every column of a draft is a key');
select throws_like(
  $$select sluice.refuse_invalid_draft('[{"prompt": "x"}, {"id": 1}]', '{id}', at(0))$$,
  '%prompt%', 'another one is named');
create function refused(p_tasks text) returns table (code text, message text) language sql
as $$ select code, message
  from error_of(format('select sluice.read_drafts(%L, at(0))', p_tasks)) $$;
select is(code, 'SL004', 'SL004') from refused('[{"id": 1}]');
select matches(message, 'task 2: .*"id"', 'with its place')
from refused(format('[{"prompt": "x", "model": %1$s}, {"id": 1}]', to_json(:'m'::text)));
select ok(length(message) < 300, 'a long one is cut')
from refused(jsonb_build_array(jsonb_build_object(repeat('k', 5000), 1))::text);

select * from finish();
rollback;
