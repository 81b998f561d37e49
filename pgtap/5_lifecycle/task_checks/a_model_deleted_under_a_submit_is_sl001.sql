begin;
\ir ../../_helpers.sql
select plan(4);

select is((error_of('select sluice.refuse_deleted()')).code, 'SL001', 'it refuses');
-- An old snapshot still shows the model, its functions are gone for everybody.
select given_model() as m \gset
select sluice.drop_functions(id_of(:'m')) \g /dev/null
select * from error_of(format('select given_task(%L)', :'m')) \gset
select is(:'code'::text, 'SL001', 'and so does a submit that saw the model a moment ago');
select matches(:'message'::text, 'model was deleted', :'message'::text);
select is(:'hint'::text, sluice.names_text(), 'and hears what there is');

select * from finish();
rollback;
