begin;
\ir ../../_helpers.sql
select plan(5);

-- drafts: of prompt p with the given keys.
create function drafts(variadic p_keys text[]) returns sluice.task_draft[] language sql as $$
  select array_agg(sluice.draft_of(jsonb_populate_record(null::sluice.task_draft,
    jsonb_build_object('prompt', 'p', 'tenant', 'tenant-' || pg_backend_pid(), 'idempotency_key',
      k))) order by place)
  from unnest(p_keys) with ordinality k(k, place) $$;
select is(sluice.keep_keys(drafts(null, null), '{1,2}', null), '{1,2}', 'its own without a key');
insert into sluice.task (id, created_at, priority, tenant, route, prompt)
  values (3, now(), 0, 't', 'r', 'p'), (5, now(), 0, 't', 'r', 'p');
select is(sluice.keep_keys(drafts('b', 'a', 'b'), '{3,4,5}', null), '{3,4,3}',
  'the first one''s where two have the same');
insert into sluice.task (id, created_at, priority, tenant, route, prompt)
  values (4, now(), 0, 't', 'r', 'p');
select is(sluice.keep_keys(drafts('c', null, 'a', 'b'), '{6,7,8,9}', null), '{6,7,4,3}',
  'the former one''s where it was bound before');
select is((error_of($$select sluice.keep_keys(array(select row(d.prompt || 'x', d.model, d.priority,
      d.tenant, null, null, d.idempotency_key, null, null, null, null, null, null,
        null, null)::sluice.task_draft
      from unnest(drafts('d', 'a')) d), '{10,11}', null)$$)).message,
  'task 2: idempotency key already used by task 4 with other content',
    'other content is told with its number');
select is(array[sluice.imported_content(null, 2)::text,
    (error_of($$select sluice.imported_content('k', 2)$$)).code], array['\x', 'SL004'],
  'a key of import has no content, and comes by no API key');

select * from finish();
rollback;
