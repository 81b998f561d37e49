begin;
\ir ../_helpers.sql
\ir ../fair_turns/_helpers.sql
select plan(3);

select given_model() as m \gset
select setseed(0.5) \g /dev/null
insert into sluice.tenants (name, weight) values ('heavy-' || :'m', 3);
select waits(:'m', 'heavy-' || :'m', 1, 400), waits(:'m', 'light', 1, 400), waits(:'m', 'long', 1, 4000), waits(:'m', 'low', 1, 4,
  1) \g /dev/null
create temporary table drawn on commit drop as
select (sluice.first_head(sluice.weighed(sluice.lane_heads(id_of(:'m'), 9), at(1)), at(1))).tenant from generate_series(1, 2000);
create function share(p_tenant text) returns numeric language sql
as $$ select round(count(*) filter (where tenant = sluice.tenant_key(p_tenant)) / 2000.0, 2) from drawn $$;
select ok(share('heavy-' || :'m') between 0.68 and 0.78, 'three of 4.1: ' || share('heavy-' || :'m'));
select ok(share('long') between 0.01 and 0.04, 'ten times as long, a tenth as often: ' || share('long'));
select is(share('low'), 0.00, 'no lower rank');

select * from finish();
rollback;
