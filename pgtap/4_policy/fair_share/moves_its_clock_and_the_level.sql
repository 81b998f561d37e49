begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(4);

-- 400 bytes are 100 tokens, of a tenant of weight 2.
select given_model() as m \gset
create function note(p_model text, p_tenant text, p_start float8, p_level float8) returns void
  language sql
as $$
  select sluice.note_clock(id_of(p_model), (select row(t.task_id, t.line, t.lane, t.rank, t.tenant,
    t.ready_at, t.deadline, t.request_bytes,
      t.place, t.aged, t.start, null, p_level, false)::sluice.turn
        from turned(p_tenant, p_start, null) t),
    row(id_of(p_model), 0, 1, at(0), 4, 2, null)::sluice.head, 400)
$$;
select note(:'m', 'a', 5, 5) \g /dev/null
select is(clock(:'m', 'a'), 55::float8, 'to where the task that was taken ends');
select is(clock(:'m'), 5::float8, 'the level to where it began');
select note(:'m', 'b', 5, null) \g /dev/null
select is(clock(:'m', 'b'), 55::float8, 'another one''s');
select is((select count(*) from sluice.tenant_clock where model = id_of(:'m')), 3::bigint,
  'a level that stays is not written');

select * from finish();
rollback;
