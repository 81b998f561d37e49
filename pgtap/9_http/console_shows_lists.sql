begin;
\ir ../_helpers.sql
select plan(7);

select given_model() as m \gset
-- show_overview
select is((select o from jsonb_array_elements(sluice.show_overview() -> 'data') o
  where o ->> 'model' = :'m') - '{spark,next_permit_at}'::text[],
  (select to_jsonb(o) - 'next_permit_at' from sluice.overview() o where model = :'m'),
  'the overview');
select sluice.pause(:'m'), sluice.resume(:'m') \g /dev/null
-- show_audit
select is(array(select l -> 'action' from jsonb_array_elements(
    sluice.show_audit(null, 200) -> 'data') l
  where l ->> 'object' = :'m' and l ->> 'action' <> 'insert models'),
  array['"resume"', '"pause"']::jsonb[], 'the audit, newest first');
select is(jsonb_array_length(sluice.show_audit(null, 1) -> 'data'), 1, 'a page of it');
select is_empty(format($$select from jsonb_array_elements(sluice.show_audit(%s, 200) -> 'data') l
  where l ->> 'object' = %L$$, (select min(id) from sluice.audit where object = :'m'), :'m'),
  'what was before');
-- show_revisions, revision_json
select is(array(select array[r ->> 'action', r ->> 'before', r ->> 'after']
  from jsonb_array_elements(sluice.show_revisions('models', :'m', null, 2) -> 'data') r),
  array[array['update', '{"paused": true}', '{"paused": false}'],
    array['update', '{"paused": false}', '{"paused": true}']], 'revisions, newest first');
select max(id) as last from sluice.revision where name = :'m' \gset
select is(sluice.revert_revision(:last, false) ->> 'reverts', :last::text, 'takes one back');
select is((select paused from sluice.models where name = :'m'), true, 'as it was');

select * from finish();
rollback;
