begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as m, given_model() as n, 'key of ' || pg_backend_pid() as key \gset
update sluice.settings set default_model = :'m';
select sluice.submit('x', idempotency_key => :'key') as t \gset
create function repeated(p_more text default '') returns bigint[] language sql
as $$
  select array(select * from sluice.submit_many(jsonb_build_array(
    jsonb_build_object('prompt', 'x', 'idempotency_key',
      'key of ' || pg_backend_pid())) || p_more::jsonb))
$$;
update sluice.settings set default_model = :'n';
select is(sluice.submit('x', idempotency_key => :'key'), :t::bigint, 'another default');
select is(repeated('[]'), array[:t]::bigint[], 'in bulk');
select repeated('[{"prompt": "new"}]') as both \gset
select is(array(select model from sluice.tasks where id = any (:'both') order by id),
  array[:'m', :'n'], 'beside a new one, which goes to the new default');
update sluice.models set tpm = 100 where name = :'n';
select is((error_of('select sluice.submit(''y'', max_output_tokens => 2000)')).code, 'SL002',
  'where the new default would refuse');
select is(sluice.submit('x', idempotency_key => :'key'), :t::bigint, 'the repeat is not');
update sluice.settings set default_model = null;
select is(sluice.submit('x', idempotency_key => :'key'), :t::bigint, 'no default');
select is(repeated('[]'), array[:t]::bigint[], 'in bulk');
select is((error_of('select repeated(''[{"prompt": "new"}]'')')).code, 'SL001',
  'a new one beside it is refused');
select is((error_of(format('select sluice.submit(''y'', idempotency_key => %L)', :'key'))).code,
  'SL008', 'other content is other content');

select * from finish();
rollback;
