begin;
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select 'tenant-' || pg_backend_pid() as tenant \gset
select sluice.submit('x', :'m', metadata => '{"team": "a"}', p_now => at(0)) as a \gset
select sluice.submit('x', :'m', batch_id => pg_backend_pid(), p_now => at(0)) as b \gset
select sluice.submit('x', :'m', tenant => :'tenant', p_now => at(0)) as c \gset
select given_task(:'m') as d, given_task(:'m') as e, given_task(:'m') as f \gset
select claimed(:w, 10) \g /dev/null
select sluice.complete(:w,
  array[told(:a, 'failed'), told(:b, 'failed'), told(:c, 'failed'), told(:d, 'failed'),
  row(:e, 1, 'failed', null, null, 'no', 'http_413', 413, null, null, null, null)::sluice.outcome],
    at(5)) \g /dev/null
select completed(:w, told(:f, 'failed'), at(8)) \g /dev/null
select is(sluice.redrive_all(:'m', tenant => :'tenant', p_now => at(9)), 1::bigint, 'a tenant');
select is(sluice.redrive_all(metadata => '{"team": "a"}', model => :'m', p_now => at(9)), 1::bigint,
  'metadata');
select is(sluice.redrive_all(batch_id => pg_backend_pid(), p_now => at(9)), 1::bigint, 'a batch');
select is(sluice.redrive_all(:'m', error_code => 'http_413', p_now => at(9)), 1::bigint,
  'an error''s code');
select is(sluice.redrive_all(:'m', until => at(5), p_now => at(9)), 0::bigint,
  'failed before: not included');
select is(sluice.redrive_all(:'m', since => at(5), until => at(8), p_now => at(9)), 1::bigint,
  'failed from then on and before then');
select is(places(:f), 'failed', 'but not later');
select is((select detail - 'tenant' from sluice.audit where action = 'redrive_all'
  and detail ->> 'tenant' = :'tenant'), '{"redriven": 1}', 'the audit has the conditions');

select * from finish();
rollback;
