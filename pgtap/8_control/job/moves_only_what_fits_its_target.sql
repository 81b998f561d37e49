begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(5);

select given_model() as a \gset
select given_model() as b \gset
select given_model(tpm => 600) as small \gset
update sluice.models set api = 'openai-chat' where name in (:'a', :'small');
select sluice.submit(request => '{"messages": []}', model => :'a') as verbatim \gset
select is((error_of(format($$select sluice.start_job('move', '{"model": "%s"}', target => '%s')$$,
  :'a', :'b'))).code, 'SL001', 'none of them speaks its api');
select given_task(:'a') as plain \gset
select given_task(:'a', prompt => repeat('x', 100000)) as large \gset
select sluice.start_job('move', jsonb_build_object('model', :'a'), target => :'b',
  p_now => at(10)) as job \gset
select results_eq(format('select done, skipped from stepped(%s)', :job),
  'values (2::bigint, 1::bigint)', 'prompts fit every model');
select is(queued(:'a'), array[:verbatim]::bigint[], 'a request its own api alone');
select sluice.start_job('move', jsonb_build_object('model', :'b'), target => :'small',
  p_now => at(20)) as job \gset
select results_eq(format('select done, skipped from stepped(%s)', :job),
  'values (1::bigint, 1::bigint)', 'and no larger task than its tokens a minute');
select is(queued(:'small'), array[:plain]::bigint[], 'goes there');

select * from finish();
rollback;
