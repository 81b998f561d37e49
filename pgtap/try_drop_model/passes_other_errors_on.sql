begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select id_of(:'m') as id \gset
create function tried(p_model int, p_name text) returns boolean language sql security definer
as $$ select sluice.try_drop_model(p_model, p_name) $$;
alter function tried owner to sluice_owner;
grant usage on schema :test_schema to sluice_owner;
select given_task(:'m') as task \gset
select throws_ok(format('select tried(%s, %L)', :id, :'m'), '23503', null, 'a model with a task stays');
select sluice.cancel(:task) \g /dev/null
select ok(tried(:id, :'m'), 'without, it goes');
select hasnt_table('sluice', 'queue_' || :id, 'with its queue');

select * from finish();
rollback;
