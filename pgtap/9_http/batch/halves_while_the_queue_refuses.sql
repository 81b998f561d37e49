begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(5);

select given_speaker('openai-chat', 4) as m \gset
select given_batch(:'m', 9) as b \gset
select advanced(:b, 'submit') \g /dev/null
create function submitted(p_lines int[]) returns int language sql
as $$
  select sluice.submit_lines(batch_row(b.batch), p_lines, array(
    select sluice.draft_of(jsonb_populate_record(null::sluice.task_draft,
      jsonb_build_object('model', m.name, 'request', format('{"n": %s}', l))))
    from unnest(p_lines) l,
      (select max(name) as name from sluice.models
        where name like 'model-' || pg_backend_pid() || '-%') m), at(1))
  from (select max(batch) as batch from sluice.batch_line) b
$$;
select is(submitted(array[2, 3, 4, 5, 6, 7, 8, 9]), 4, 'half of them fit');
select results_eq(format($$select l.line, t.request::json ->> 'n' from sluice.batch_line l
  join sluice.task t on t.id = l.task_id
  where batch = %s order by 1$$, :b), $$values (2, '2'), (3, '3'), (4, '4'), (5, '5')$$,
    'the first half, each line its task');
select is(submitted(array[6, 7]), 0, 'now none fits');
select is(submitted('{}'), 0, 'none is none');
select is(submitted(null), 0, 'and so is this');

select * from finish();
rollback;
