begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select array[sluice.draft_of(jsonb_populate_record(null::sluice.task_draft,
  jsonb_build_object('prompt', 'p', 'model', :'m')))] as drafts \gset
select (sluice.destinations_of(:'drafts', at(0)))[1] as destination \gset
set constraints all immediate;
delete from sluice.models where name = :'m';
select is((error_of(format('select sluice.store_in_line(%L, %L, null, %L, at(0))',
  :'drafts', array[nextval('sluice.task_id')], :'destination'))).code,
  'SL001', 'whatever there was to store');

select * from finish();
rollback;
