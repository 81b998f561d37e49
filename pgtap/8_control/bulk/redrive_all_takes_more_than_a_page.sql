begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_model() as gone \gset
select sluice.cancel(id, at(1)) from unnest(given_tasks(:'m', 2500)) id \g /dev/null
select 'tenant-of-' || :'gone' as tenant \gset
select given_task(:'gone', tenant => :'tenant') as orphan \gset
select sluice.cancel(:orphan, at(1)) \g /dev/null
update sluice.result set status = 'failed' where model in (:'m', :'gone');
delete from sluice.models where name = :'gone';
select is(sluice.redrive_all(:'m', p_now => at(2)), 2500::bigint, 'all of them');
select is((select count(*) from sluice.queue where model = id_of(:'m')), 2500::bigint,
  'wait again');
select is(sluice.redrive_all(tenant => :'tenant', p_now => at(2)), 0::bigint,
  'those of a deleted model are left out');

select * from finish();
rollback;
