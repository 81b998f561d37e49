begin;
\ir ../../_helpers.sql
select plan(3);

select id_of(given_model()) as id \gset
select sluice.note_model_works(:id, false, '{a}', at(1)) \g /dev/null
select is_empty(format('select from sluice.refusal where model = %s', :id),
  'successes alone leave no trace');
select sluice.note_model_works(:id, true, '{a}', at(2)) \g /dev/null
update sluice.refusal set tasks = '{1,2}' where model = :id;
select sluice.note_model_works(:id, false, '{a}', at(3)) \g /dev/null
select results_eq(format('select tasks, worked_at from sluice.refusal where model = %s', :id),
  $$values ('{}'::bigint[], at(3))$$, 'none in a row any more');
select sluice.note_model_works(:id, false, '{a}', at(4)) \g /dev/null
select is((select worked_at from sluice.refusal where model = :id), at(3),
  'with none to forget nothing is written');

select * from finish();
rollback;
