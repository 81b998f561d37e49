begin;
\set alone
\ir ../_helpers.sql
select plan(27);

select given_model() as m \gset
select given_worker(array[:'m']) as worker \gset
select given_task(:'m', prompt => 'ended', max_output_tokens => 7) as a,
  given_task(:'m', prompt => 'waits', priority => -5, tenant => 'one') as b \gset
select completed(:worker, told(t.task_id, 'solved', t.fence, 'yes')) from
  sluice.claim(:worker, null, 1, at(1)) t \g /dev/null
update sluice.task set metadata = '{"a": null}' where id in (:a, :b);
select jsonb_agg(line::jsonb order by id desc) as lines from sluice.export_tasks(0, :b) \gset

select array(select sluice.import_tasks(:'lines', 'here', at(10))) as ids \gset
select is(cardinality(:'ids'::bigint[]), 2, 'an id for each');
select ok((:'ids'::bigint[])[1] > :b and (:'ids'::bigint[])[2] > :b, 'they are new');
create function without_ids(p_id bigint) returns jsonb language sql
as $$ select to_jsonb(t) - 'id' from sluice.tasks t where t.id = p_id $$;
select is(without_ids((:'ids'::bigint[])[2]), without_ids(:a), 'an ended task is as it ended');
select is((select max_output_tokens from sluice.task where id = (:'ids'::bigint[])[2]), 7,
  'with what a redrive needs');
select is(without_ids((:'ids'::bigint[])[1]) - '{created_at,queued_at}'::text[],
  without_ids(:b) - '{created_at,queued_at}'::text[], 'an unfinished one is submitted');
select is((select created_at from sluice.tasks where id = (:'ids'::bigint[])[1]), at(10), 'now');
select is(array(select sluice.import_tasks(:'lines', 'here', at(20))), :'ids'::bigint[],
  'again, they are what they are');
select isnt(array(select sluice.import_tasks(:'lines', 'there', at(20))), :'ids'::bigint[],
  'from elsewhere they are others');


insert into sluice.payload_schema (target, version) values (:'m', 'v');
select array(select sluice.import_tasks(jsonb_build_array(
    jsonb_build_object('id', 1, 'status', 'queued', 'model', :'m', 'prompt', 'x') || v.v,
    '{"id": 2, "status": "failed", "tenant": "t", "created_at": "2039-12-31", "prompt": "x",
      "finished_at": "2040-01-01"}' || v.v), 'versions', at(10))) as ids
from (values ('{"schema_version": "v", "affinity_key": "chat"}'::jsonb)) v(v) \gset
select is((select schema_version || affinity_key from sluice.task where id = i.id), 'vchat',
  'with its version and key')
from unnest(:'ids'::bigint[]) i(id);

select is(array(select sluice.import_tasks('[]', 'here')), '{}'::bigint[], 'nothing is nothing');
select is((error_of(format('select sluice.import_tasks(%L, %L)', p.tasks, p.source))).message,
  p.message, p.message)
from (values
  ('{}', 'x', 'tasks is a JSON object, not an array'),
  ('[]', '', 'source has 0 characters'),
  ('[{"id": 1, "status": "solved"}, 7]', 'x',
    'task 1: has ended, without tenant, created_at or finished_at'),
  ('[7]', 'x', 'task 1: is no object'), ('[{"id": "x"}]', 'x', 'task 1: has no id'),
  ('[{"id": 1}]', 'x', 'task 1: has no status'),
  ('[{"id": 1, "status": "queued", "x": 1}]', 'x', 'task 1: has the key "x"'))
  p(tasks, source, message);
select is((error_of(format($$select sluice.import_tasks(jsonb_build_array(
    '{"id": 9, "status": "queued", "prompt": "x"}'::jsonb || '{"model": "none of these"}'),
    'x')$$))).code, 'SL001', 'what waits needs its model');
select is((error_of($$select sluice.import_tasks('[{"id": 9, "status": "solved", "tenant": "t",
    "created_at": "2040-01-01", "finished_at": "soon"}]', 'x')$$)).code, 'SL004', 'a time is one');

select array(select sluice.import_tasks('[{"id": 9, "status": "failed", "tenant": "t", "model":
    "gone", "created_at": "2020-01-01", "finished_at": "2020-01-02"}]', 'x')) as ids \gset
select is((select (model, status) from sluice.tasks where id = (:'ids'::bigint[])[1]),
  ('gone'::text, 'failed'::text), 'an ended task may be of a model that is no more');
select isnt((select forgotten_at from sluice.task where id = (:'ids'::bigint[])[1]), null,
  'one without texts is forgotten');
select is(sluice.has_ended('{"status": "expired"}'), true, 'has_ended: has it?');
select is(sluice.imported_draft('{"id": 5, "route": "r", "model": "m", "prompt": "x", "deadline":
    null}', 's'), '{"model": "r", "prompt": "x", "idempotency_key": "sluice import s 5"}',
  'imported_draft: what a submit takes');
select lives_ok($$select sluice.check_imported('[{"id": "5", "status": "queued"}]', 's')$$,
  'check_imported: an id may be a text');
select is(sluice.import_ends('{}', 's', at(0)), '{}'::bigint[], 'import_ends: of none');
select is(sluice.import_key('{"id": 5}', 'here'), 'sluice import here 5', 'by this it is known');

select * from finish();
rollback;
