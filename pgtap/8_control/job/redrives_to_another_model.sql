-- sluice.name_target
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(15);

select given_model() as a, given_model() as b, given_model() as gone \gset
select given_failed(:'a', 2) as ids \gset
select (:'ids'::bigint[])[1] as t, (:'ids'::bigint[])[2] as u \gset
select sluice.start_job('redrive', jsonb_build_object('ids', array[:t]), target => :'b',
  p_now => at(10)) as job \gset
select is((select target from job_of(:job)), :'b'::text, 'the job says where to');
select is((stepped(:job)).done, 1::bigint, 'it is redriven');
select is(queued(:'b'), array[:t]::bigint[], 'to the other model');
select is((select model from sluice.tasks where id = :t), :'b'::text, 'which it names now');
select is((select array_agg(model) from sluice.attempts(:t) where kind = 'redriven'),
  array[:'a'::text], 'what it had is kept');
select is(sluice.undo_job(:job, at(101)), 'undoing', 'that can be undone');
select is((stepped(:job)).undone, 1::bigint, 'and is');
select is((select status || ' ' || model from sluice.tasks where id = :t), 'failed ' || :'a',
  'it has failed again, at its own model');
select is((select model from sluice.task where id = :t), id_of(:'a'), 'which it names');

update sluice.models set api = 'openai-chat' where name = :'b';
update sluice.task set request = '{}', prompt = null where id = :u;
select is((error_of(format($$select sluice.start_job('redrive', '{"ids": [%s]}', true,
  target => %L, p_now => at(102))$$, :u, :'b'))).code, 'SL001', 'a request stays with its api');
select is(sluice.start_job('redrive', jsonb_build_object('ids', array[:t, :u]), true,
  target => :'b', p_now => at(102)), 2::bigint, 'a prompt beside it does not');

select (given_failed(:'gone', 1))[1] as g \gset
delete from sluice.models where name = :'gone';
select is(sluice.start_job('redrive', jsonb_build_object('ids', array[:g]), true,
  p_now => at(20)), 0::bigint, 'a task of a model that is gone cannot be redriven');
select sluice.start_job('redrive', jsonb_build_object('ids', array[:g]), target => :'a',
  p_now => at(20)) as job \gset
select is((stepped(:job)).done, 1::bigint, 'but to another one');
select is(places(:g), 'queue', 'where it waits');
select lives_ok(format('select sluice.name_target(array[%s], %s, null, null)', :g, id_of(:'b')),
  'any model will do');

select * from finish();
rollback;
