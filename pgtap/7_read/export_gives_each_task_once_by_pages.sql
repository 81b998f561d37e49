begin;
\set alone
\ir ../_helpers.sql
select plan(16);

select given_model() as m, given_model() as other \gset
select given_worker(array[:'m']) as worker \gset
select given_task(:'m', prompt => 'first', max_output_tokens => 7) as a,
  given_task(:'other', tenant => 'one') as b, given_task(:'m', run_at => at(1000)) as c \gset
select completed(:worker, told(t.task_id, 'solved', t.fence, '=1+1')) from
  sluice.claim(:worker, null, 1, at(1)) t \g /dev/null

select is(sluice.export_range(0), :c::bigint, 'a range reaches to the last task');
select is(sluice.export_range(0, 2), :b::bigint, 'of so many');
select is(sluice.export_range(:c), null::bigint, 'after it there is none');
select is(array(select id from sluice.export_tasks(0, :c)), array[:a, :b, :c]::bigint[],
  'each task, the oldest first');
select results_eq(format('select status from sluice.tasks where id = %s', :a),
  format('select line::json ->> ''status'' from sluice.export_tasks(0, %s)', :a), 'where it is');
select is((select line::jsonb - array(select column_name::text from information_schema.columns
    where table_schema = 'sluice' and table_name = 'tasks')
  from sluice.export_tasks(0, :a)),
  '{"max_attempts": null, "max_output_tokens": 7, "traceparent": null}',
  'what sluice.tasks has, and what a submit needs beside it');
select is(array(select k from sluice.export_tasks(0, :a), json_object_keys(line::json) k),
  sluice.export_columns(), 'the columns are those of an object, in its order');
select is((select (line::json ->> 'answer', line::json ->> 'prompt')
  from sluice.export_tasks(0, :a, texts => false)), row(null::text, null::text), 'without texts');
select is(array(select id from sluice.export_tasks(0, :c, max_bytes => 1)), array[:a]::bigint[],
  'a page ends before its range, with one task at least');
select is(array(select id from sluice.export_tasks(0, :c, status => 'unsolved')),
  array[:c]::bigint[], 'of a status');
select is(array(select id from sluice.export_tasks(0, :c, model => :'other')),
  array[:b]::bigint[], 'of a model');
select is(array(select id from sluice.export_tasks(0, :c, tenant => 'one', since => at(0),
  until => at(1))), array[:b]::bigint[], 'of a tenant and a time');
select is(array(select id from sluice.export_tasks(0, :c, ended_since => at(0),
  ended_until => at(3))), array[:a]::bigint[], 'of the time when it ended');
select is_empty(format('select from sluice.export_tasks(0, %s, metadata => %L)', :c, '{"x": 1}'),
  'with metadata');
select is_empty(format('select from sluice.export_tasks(0, %s, batch_id => 1)', :c), 'of a batch');
select matches((select line from sluice.export_tasks(0, :a, format => 'csv')),
  '"first",,"''=1\+1",,,$', 'as CSV, in which nothing is a formula');

select * from finish();
rollback;
