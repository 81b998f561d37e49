begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select format('[{"prompt": "a", "model": "%1$s"}, {"prompt": "b", "model": "%1$s"}]',
  :'m') as body \gset
select array(select id from sluice.submit_array(:'body', 't', 'k', p_now => at(0))) as ids \gset
select results_eq(format('select prompt, tenant from sluice.tasks where id = any (%L) order by id',
  :'ids'), $$values ('a', 't'), ('b', 't')$$, 'in order, with the tenant given');
select is(array(select id from sluice.submit_array(:'body', 't', 'k', p_now => at(1))),
  :'ids'::bigint[], 'the same key: the same tasks');
select throws_ok(format($$select sluice.submit_array(%L, null, null, p_now => at(0))$$,
  format('[{"prompt": "a", "model": "%s"}, {"prompt": "b", "model": "nobody"}]', :'m')), 'SL001',
    null, 'all or none');
select throws_ok($$select sluice.submit_array('[]', null, null)$$, 'SL004', null, 'an empty array');
select throws_ok($$select sluice.submit_array((select json_agg(1)
  from generate_series(1, 10001))::text, null, null)$$, 'SL004', null, 'too many');
select throws_ok($$select sluice.submit_array('[{"prompt": "x", "tenant": "u"}]', 't', null)$$,
  'SL009', null, 'not its tenant');

select * from finish();
rollback;
