-- sluice.task_of
begin;
\ir ../_helpers.sql
select plan(15);

select given_model(max_attempts => 1) as m \gset
select given_worker(array[:'m']) as w \gset
select 'own-' || :'m' as a, 'foreign-' || :'m' as b \gset
select sluice.submit('own', :'m', 1, :'a', traceparent =>
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01') as own,
  sluice.submit('SECRETPROMPT', :'m', 1, :'b') as foreign \gset
select claimed(:w, 2) \g /dev/null
select completed(:w, told(:own, 'failed', error => 'no')),
  completed(:w, told(:foreign, 'failed', error => 'no')) \g /dev/null
create function ids(p_page jsonb) returns jsonb language sql
as $$ select coalesce(jsonb_agg(t -> 'id'), '[]') from jsonb_array_elements(p_page -> 'data') t $$;
select is(ids(sluice.search_tasks('{}', :'a')), jsonb_build_array(:own::text), 'a search');
select is(ids(sluice.search_tasks('{"text": "secret"}', :'a')), '[]', 'by a text');
select is(ids(sluice.search_tasks(jsonb_build_object('tenant', :'b'), null)),
  jsonb_build_array(:foreign::text), 'a key of all tenants: of one');
select is(sluice.show_dead_letter_groups('{}', :'a') #> '{data,0,count}', '1', 'groups');
select is(sluice.show_timeline(:foreign, :'a'), null, 'a timeline');
select is(sluice.read_texts(:foreign, :'a'), null, 'texts');
select is((select t.tenant from sluice.task_of(:foreign, null) t), :'b', 'a task, by any key');
set local track_functions = 'all';
select is_empty(format('select from sluice.task_of(%s, %L)', :foreign, :'a'), 'by a tenant''s');
select is(coalesce(pg_stat_get_xact_function_calls('sluice.task(bigint)'::regprocedure), 0),
  0::bigint, 'without a look where it is');
select is(sluice.search_tasks('{}', :'a') ->> 'looked_at', null,
  'not at how many a search looked: they are others''');
select is(sluice.show_dead_letter_groups('{}', :'a') ->> 'looked_at', null, 'nor of failures');
update sluice.settings set trace_url = 'https://traces.example/{trace_id}';
-- task_json
select is(sluice.show_timeline(:own, :'a') ->> 'trace_id', '0af7651916cd43dd8448eb211c80319c',
  'its trace');
select is(sluice.show_timeline(:own, :'a') ->> 'trace_url', null, 'not where traces are kept');
select is(sluice.show_timeline(:own, null) ->> 'trace_url',
  'https://traces.example/0af7651916cd43dd8448eb211c80319c', 'which others are told');
select is(sluice.show_timeline(:own, null) #>> '{task,id}', :own::text, 'ids are texts');

select * from finish();
rollback;
