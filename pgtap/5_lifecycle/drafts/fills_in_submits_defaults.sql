begin;
\ir ../../_helpers.sql
select plan(3);

create function draft(p_item jsonb) returns sluice.task_draft language sql as
  $$ select sluice.draft_of(jsonb_populate_record(null::sluice.task_draft, p_item)) $$;
select results_eq($$select * from draft('{"prompt": "p"}')$$,
  $$select 'p'::text, null::text, 0, 'default'::text, null::timestamptz, null::timestamptz,
    null::text, null::int, null::text,
    null::int, null::jsonb, null::bigint, null::text, null::text, null::text$$,
  'the same as submit''s');
select is(model, 'm', 'a model that is named') from draft('{"prompt": "p", "model": "m"}');
select is(tenant, 'default', 'null stands for the default')
from draft('{"prompt": "p", "tenant": null}');

select * from finish();
rollback;
