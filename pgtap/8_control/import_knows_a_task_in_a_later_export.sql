-- A task that was unfinished in one export, and has ended, moved or been erased in the next.
begin;
\set alone
\ir ../_helpers.sql
select plan(6);

select given_model() as m, given_model() as other \gset
create function imported(p_task jsonb) returns bigint language sql
as $$
  select sluice.import_tasks(jsonb_build_array('{"id": 1, "tenant": "t", "max_output_tokens": 7,
    "created_at": "2039-12-31"}'::jsonb || p_task), 'there', at(10))
$$;
select imported(jsonb_build_object('status', 'queued', 'model', :'m', 'prompt', 'x')) as id \gset
select is(imported(jsonb_build_object('status', 'processing', 'model', :'m', 'prompt', 'x')),
  :id::bigint, 'it is called there meanwhile');
select is(imported(jsonb_build_object('status', 'solved', 'model', :'m', 'prompt', 'x',
  'finished_at', '2040-01-01')), :id::bigint, 'it has ended');
select is(imported(jsonb_build_object('status', 'solved', 'model', :'other', 'prompt', 'x',
  'finished_at', '2040-01-01')), :id::bigint, 'at another model');
select is(imported(jsonb_build_object('status', 'solved', 'model', :'other',
  'finished_at', '2040-01-01')), :id::bigint, 'its texts are erased');

select isnt(imported(jsonb_build_object('status', 'queued', 'model', :'m', 'prompt', 'x',
  'created_at', '2039-12-30')), :id::bigint, 'one of another installation is another one');
select is((error_of(format('select imported(%L)', jsonb_build_object('status', 'queued', 'model',
  :'m', 'prompt', 'x', 'created_at', 'soon')))).code, 'SL004', 'which was submitted at a time');

select * from finish();
rollback;
