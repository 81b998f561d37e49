-- sluice.submit
begin;
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(8);

select given_priced_model() as m, given_tenant() as t \gset
update sluice.models set api = 'openai-chat' where name = :'m';
update sluice.tenants set max_unfinished = 2 where name = :'t';
select given_budget('tenant', :'t', 1e12) as b \gset
\set request '{"max_tokens":5}'
select lives_ok(format('select sluice.submit(null, %L, tenant => %L, request => %L,
  idempotency_key => %L)', :'m', :'t', :'request', 'k' || n), 'its tenant has room for two')
  from generate_series(1, 2) n;
select throws_ok(format('select sluice.submit(null, %L, tenant => %L, request => %L)', :'m', :'t',
  :'request'), 'SL005', null, 'and not for three');
select is(sluice.submit(null, :'m', tenant => :'t', request => :'request',
  idempotency_key => 'k1'), (select min(id) from sluice.task where tenant = :'t'), 'a repeat');
select is(array(select distinct (k.bounds).output from sluice.task k where k.tenant = :'t'),
  array[5], 'bounds are kept');

select sluice.submit(null, :'m', request => :'request', run_at => at(9), deadline => at(99),
  priority => 7, metadata => '{"a": 1}', max_attempts => 3, batch_id => 9, traceparent =>
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', p_now => at(0)) as id \gset
select is(format('%s %s %s %s %s %s', priority, metadata, max_attempts, batch_id, run_at = at(9),
  deadline = at(99)), '7 {"a": 1} 3 9 t t', 'every argument is stored')
  from sluice.task where id = :id;
select is(left(traceparent, 5), '00-0a', 'its trace, too') from sluice.task where id = :id;
select is(places(:id), 'later', 'it waits for its time');

select * from finish();
rollback;
