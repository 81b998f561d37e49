begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select nextval('sluice.task_id') from generate_series(1, 7) \g /dev/null
select setval('sluice.load_all', 7) \g /dev/null
insert into sluice.full_tenant values ('b', 10);
select sluice.refresh_gate(false);
select is((select 'x' = any (noted) from sluice.gate), null, 'a tenant with its most');
delete from sluice.full_tenant;
select sluice.refresh_gate(false);
select is((select 'x' = any (noted) from sluice.gate), false, 'none any more');
select is((select g.request_bytes_max = s.request_bytes_max and g.max_unfinished = s.max_unfinished
  and g.full_at = 7 + ceil(0.95 * s.max_unfinished) from sluice.gate g, sluice.settings s), true,
    'the bounds are those of the settings');
select ctid as place from sluice.gate \gset
select sluice.refresh_gate(true);
select is((select ctid from sluice.gate), :'place'::tid, 'and nothing is written that is there');

select * from finish();
rollback;
