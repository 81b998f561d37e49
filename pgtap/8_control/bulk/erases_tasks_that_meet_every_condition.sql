begin;
\ir ../../_helpers.sql
select plan(12);

select given_model() as m, given_model() as n \gset
select given_route(:'n') as r \gset
select given_worker(array[:'m', :'n']) as w \gset
select 'tenant-' || pg_backend_pid() as tenant \gset
select sluice.submit('secret', :'m', metadata => '{"team": "a", "n": 1}', p_now => at(0)) as a \gset
select sluice.submit('secret', :'m', batch_id => pg_backend_pid(), p_now => at(0)) as b \gset
select sluice.submit('secret', :'m', tenant => :'tenant', p_now => at(0)) as c \gset
select given_task(:'r') as d, given_task(:'m') as unfinished \gset
select claimed(:w, 10) \g /dev/null
select sluice.complete(:w, array[told(:a, 'solved', answer => 'secret'),
  told(:b, 'solved', answer => 'secret')], at(5)) \g /dev/null
select sluice.complete(:w, array[told(:c, 'failed', error => 'secret'),
  told(:d, 'solved', answer => 'secret')], at(8)) \g /dev/null
create function forgotten() returns bigint[] language sql
as $$
  select array_agg(id order by id) from sluice.task where forgotten_at is not null
    and created_at >= at(0)
$$;
select is(sluice.forget_all(metadata => '{"team": "b"}'), 0::bigint, 'what nothing meets is none');
select is(sluice.forget_all(:'m', metadata => '{"team": "a"}', p_now => at(9)), 1::bigint,
  'by metadata');
select is((select row(prompt, metadata, forgotten_at)::text from sluice.task where id = :a),
  row('', null, at(9))::text, 'its prompt is gone');
select is((select answer from sluice.result where task_id = :a), null, 'and its answer');
select is(sluice.forget_all(batch_id => pg_backend_pid()), 1::bigint, 'by batch');
select is(sluice.forget_all(:'m', until => at(8)), 0::bigint,
  'what was forgotten counts once; until is not included');
select is(sluice.forget_all(:'m', tenant => :'tenant', since => at(8)), 1::bigint,
  'by tenant and time of its end');
select is(sluice.forget_all(:'r'), 1::bigint, 'by the route that was named');
select is(forgotten(), array[:a, :b, :c, :d]::bigint[], 'all of them');
select is(sluice.forget_all(:'m'), 0::bigint, 'what is unfinished stays');
select is((error_of('select sluice.forget_all()')).code, 'SL004',
  'without any condition it is SL004');
select is((select count(*) from sluice.audit where action = 'forget_all'
  and detail ->> 'forgotten' = '1'), 4::bigint,
  'one row of the audit for each call that did something');

select * from finish();
rollback;
