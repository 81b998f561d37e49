begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m, given_tenant(rpm => null, tpm => null) as t \gset
create function admitted(p_id bigint, p_key text, p_priority int default 0,
  p_tenant text default 'default', p_name text default null)
returns bigint language sql
as $$
  select sluice.check_in_full(sluice.draft_of(row('x',
    coalesce(p_name, (select max(name) from sluice.models)), p_priority, p_tenant, null,
    null, p_key, null, null, null, null, null, null, null, null)::sluice.task_draft), p_id,
      coalesce(p_name, (select max(name) from sluice.models)),
    p_name is not null, false, p_tenant <> 'default', at(1))
$$;
select is(admitted(1, null), 1::bigint, 'its own id');
select is(array[admitted(2, 'a'), admitted(3, 'a')], '{2,2}',
  'or that of the first task with its key');
select is((error_of('select admitted(4, null, 101)')).code, 'SL004', 'a fault');
update sluice.tenants set max_priority = 5 where name = :'t';
select is((error_of(format('select admitted(4, null, 6, %L)', :'t'))).code, 'SL004',
  'a limit of its tenant');
select is((error_of('select admitted(4, null, 0, ''default'', ''nowhere'')')).code, 'SL001',
  'a route that there is not');

select * from finish();
rollback;
