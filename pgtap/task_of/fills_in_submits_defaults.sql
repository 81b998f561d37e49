begin;
\ir ../_helpers.sql
select plan(3);

select results_eq($$select * from sluice.task_of('{"prompt": "p"}')$$,
  $$select 'p'::text, 'any'::text, 0, 'default'::text, null::timestamptz, null::timestamptz, null::text, null::int, null::text,
    null::int, null::jsonb, null::bigint, null::text$$, 'the same as submit''s');
select is(prompt, '{"a": 1}', 'an object is taken as its text') from sluice.task_of('{"prompt": {"a": 1}}');
select is(tenant, 'default', 'null stands for the default') from sluice.task_of('{"prompt": "p", "tenant": null}');

select * from finish();
rollback;
