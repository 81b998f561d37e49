begin;
\ir ../../_helpers.sql
select plan(3);

-- Below all ranges and not retained: dropped by retention, which erases keys later.
insert into sluice.idempotency (tenant, key_sha256, task_id, content_sha256)
values ('dropped-' || pg_backend_pid(), sha256('k'), -7, 'other');
select is(sluice.keep_key('dropped-' || pg_backend_pid(), 'k', 'content', 42), 42::bigint,
  'the key is free again');
select results_eq(format('select task_id, content_sha256 from sluice.idempotency where tenant = %L',
  'dropped-' || pg_backend_pid()),
  $$values (42::bigint, 'content'::bytea)$$, 'and bound to the new task');
select is(sluice.keep_key('dropped-' || pg_backend_pid(), 'k', 'content', 43), 42::bigint,
  'as any key');

select * from finish();
rollback;
