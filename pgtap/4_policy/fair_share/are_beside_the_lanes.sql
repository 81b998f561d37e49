begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(5);

select given_model() as m \gset
select given_tenant(rpm => 60) as t \gset
insert into sluice.tenants (name, weight) values ('heavy-' || :'t', 3);
select waits(:'m', :'t', 2, 400), waits(:'m', 'heavy-' || :'t', 2, 400) \g /dev/null
select waits(:'m', 'other-' || n, 2, 400) from generate_series(1, 10) n \g /dev/null
create temporary table facts on commit drop as
select f.*, array_position(h.tenants, sluice.tenant_key(:'t')) as mine,
  array_position(h.tenants, sluice.tenant_key('heavy-' || :'t')) as his
from (select array(select h.tenant from unnest(sluice.lane_heads(id_of(:'m'), 20)) h) as tenants) h,
  sluice.lane_facts(id_of(:'m'), sluice.weighed(sluice.lane_heads(id_of(:'m'), 20), at(1)),
    array[round_at(:'m', null, 1, 2)], 1000,
  array_fill(true, '{12}'), 0::smallint) f;
select is(weights[mine] / weights[his], 1 / 3.0::float8, 'weights') from facts;
select is(array[headrooms[mine], headrooms[his]], '{1,null}', 'permits') from facts;
select cmp_ok(limits[his], '>', 2 * limits[mine], 'of who is due more, more rows') from facts;
select is(limits[his], 3, 'few more than there are turns for in the round') from facts;
select is(array[begins[1], ends[2]], '{1,2}', 'the bounds of their round') from facts;

select * from finish();
rollback;
