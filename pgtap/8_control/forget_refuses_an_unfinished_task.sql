begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_task(:'m') as t \gset
select code, hint from error_of(format('select sluice.forget(%s)', :t)) \gset
select is(:'code'::text, 'SL004', 'it is SL004');
select isnt(:'hint'::text, '', 'with a hint');
select is((select prompt from sluice.task where id = :t), 'question', 'its prompt stays');
select is((error_of('select sluice.forget(-1)')).code, 'SL006', 'an unknown task is SL006');

select * from finish();
rollback;
