-- sluice.takes_over, sluice.send_to, sluice.note_rerouted
begin;
\ir ../../_helpers.sql
select plan(15);

select given_model() as a, given_model() as b, given_model(tpm => 100) as tight \gset
select given_tenant() as bound \gset
update sluice.tenants set models = array[:'a'] where name = :'bound';
-- may: whether model p_to takes task p_task over from p_from.
create function may(p_task bigint, p_to text, p_from text) returns boolean language sql
as $$ select sluice.takes_over(model_row(p_to), sluice.facts_of(t), model_row(p_from))
  from sluice.task t where t.id = p_task $$;
select given_task(:'a') as t, given_task(:'a', tenant => :'bound') as theirs,
  sluice.submit(null, :'a', request => '{"prompt": "x"}', p_now => at(0)) as verbatim,
  given_task(:'a', prompt => repeat('x', 4000), max_output_tokens => 10) as long \gset
select is(may(:t, :'b', :'a'), true, 'a prompt');
select is(may(:verbatim, :'b', :'a'), true, 'a verbatim request of its api');
update sluice.models set api = 'openai-chat' where name = :'b';
select is(may(:t, :'b', :'a'), true, 'prompts go to another api');
select is(may(:verbatim, :'b', :'a'), false, 'verbatim requests do not');
update sluice.models set api = 'openai-embeddings' where name = :'b';
select is(may(:t, :'b', :'a'), false, 'nor do prompts to embeddings');
update sluice.models set api = 'solve' where name = :'b';
select is(may(:theirs, :'b', :'a'), false, 'a tenant''s only to models that it may use');
update sluice.tenants set models = array[:'a', :'b'] where name = :'bound';
select is(may(:theirs, :'b', :'a'), true, 'as its row says');
select is(may(:long, :'tight', :'a'), false, 'not what is larger than its tokens of a minute');
update sluice.task set schema_version = '2' where id = :t;
select is(may(:t, :'b', :'a'), false, 'not of a version that it does not know');
insert into sluice.payload_schema (target, version) values (:'b', '2');
select is(may(:t, :'b', :'a'), true, 'but of one that it does');

select row(:long, at(0), at(99), id_of(:'a'), 4000, 3, 0, 1, null, 'default')::sluice.later as row
\gset
select is(sluice.send_to(array[:'row'::sluice.later], jsonb_populate_record(model_row(:'b'),
  '{"id": 2000000000}'), at(1)), false, 'a model that is gone takes nothing');
select is((select count(*) from sluice.later where task_id = :long), 0::bigint,
  'and nothing is done');
select is(sluice.send_to(array[:'row'::sluice.later], model_row(:'b'), at(1)), true, 'else it is');
select results_eq(format($$select l.model, t.model, l.ready_at > at(1), l.deadline, l.fence,
    l.attempts::int from sluice.later l join sluice.task t on t.id = l.task_id where t.id = %s$$,
    :long), format('values (%1$s, %1$s, true, at(99), 3, 1)', id_of(:'b')),
  'it waits there, as it waited');
select sluice.note_rerouted(array[:'row'::sluice.later], :'a', 'over_budget', 'why', :'b', at(1))
\g /dev/null
select results_eq(format($$select kind, model, fallback_to, error_code, error, started_at
    from sluice.attempts(%s)$$, :long), format($$values ('rerouted'::text, %L::text, %L::text,
    'over_budget'::text, 'why'::text, null::timestamptz)$$, :'a', :'b'), 'and that is noted');

select * from finish();
rollback;
