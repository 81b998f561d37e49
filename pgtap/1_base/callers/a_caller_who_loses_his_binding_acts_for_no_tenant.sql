-- sluice.may_act_for
-- The attack: a tenant's login whose binding was lost saw all tenants without a role.
begin;
\ir ../../_helpers.sql
select plan(13);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a \gset
select sluice.submit('of a', :'m', tenant => :'a'), sluice.submit('of nobody', :'m') \g /dev/null
-- sees: how many tasks the tenant's role sees.
create function sees(p_role name, out seen bigint) language plpgsql
as $$
begin
  execute format('set local role %I', p_role);
  seen := (select count(*) from sluice.tasks);
  reset role;
end
$$;
select is(sees(:'a'), 1::bigint, 'its own');
select sluice.configure('tenants', :'a', '{"weight": 2}', true) \g /dev/null
select is(sees(:'a'), 1::bigint, 'a replacement that names no role leaves it');
alter role :"a" rename to renamed;
select is(sees('renamed'), 0::bigint, 'after a rename none');
set local role renamed;
select code, hint from error_of(format('select sluice.submit(''x'', %L)', :'m')) \gset
select is(:'code'::text, 'SL009', 'nor does it submit');
select alike(:'hint'::text, '%settings.default_role%', 'the hint says why');
select is_empty('select * from sluice.task(1)', 'nor read by an id');
select is_empty('select * from sluice.newest_ids()', 'nor list');
reset role;
alter role renamed rename to :"a";
update sluice.tenants set role = null where name = :'a';
select is(sees(:'a'), 0::bigint, 'nor without the role');
delete from sluice.tenants where name = :'a';
select is(sees(:'a'), 0::bigint, 'nor when the row is gone');
select is(sees('sluice_reader'), 0::bigint, 'and so does whoever was never bound');
select sluice.configure('settings', null, '{"events": false}', true) \g /dev/null
select is(sees(:'a'), 0::bigint, 'a replacement of the settings does not open it either');
select is(sees('sluice_admin'), 2::bigint, 'an administrator sees all');
update sluice.settings set default_role = 'sluice_reader';
select is(sees('sluice_reader'), 2::bigint, 'and the default role what has none');

select * from finish();
rollback;
