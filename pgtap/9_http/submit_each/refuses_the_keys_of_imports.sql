begin;
\ir ../../_helpers.sql
select plan(4);

-- The front logs in as an administrator, who may have them; its clients may not.
select given_model() as m \gset
select format('{"model": "%s", "prompt": "x"}', :'m') as task,
  format('{"model": "%s", "prompt": "x", "idempotency_key": "sluice import here 8"}', :'m') as own
\gset
select is(array(select code from sluice.submit_each(array[:'task', :'own', :'task'],
  array['t', 't', 't'], array['sluice import here 8', null, 'sluice importer'])),
  array['SL004', 'SL004', null], 'of a header or a body, and no other');
select is((select message from sluice.submit_each(array[:'own'], array['t'], array[null])),
  'an idempotency_key that begins with "sluice import " is for administrators', 'and says why');
select is((error_of(format($$select sluice.submit_array(%L, 't', 'sluice import here 8')$$,
  jsonb_build_array(:'task'::jsonb)))).code, 'SL004', 'of an array, too');
select is((select count(*)::int from sluice.task t where t.tenant = 't'), 1, 'nothing is stored');

select * from finish();
rollback;
