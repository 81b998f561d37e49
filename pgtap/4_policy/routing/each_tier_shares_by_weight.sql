-- sluice.tier_meter, sluice.route_weight, sluice.may_take
begin;
\ir ../../_helpers.sql
\ir ../../4_policy/routing/_served.sql
select plan(6);

select is(array(select sluice.tier_meter(n) from generate_series(1, 3) n), '{0,-1002,-1003}',
  'each tier has a meter');
select given_model() as a, given_model() as b, given_model() as c, given_model() as d \gset
select given_route(:'a', :'b', :'c', :'d') as r \gset
update sluice.routes set tier = 1 + (model in (:'c', :'d'))::int,
  weight = case when model in (:'a', :'c') then 70 else 30 end where route = :'r';
select given_worker(array[:'a', :'b', :'c', :'d']) as w \gset
select given_tasks(:'r', 3000) \g /dev/null
select served(:w, null, 10, 100) \g /dev/null
select cmp_ok(abs(share_of(:'a', :'r') - 70), '<=', 3::numeric, 'the first tier by its weights');
select is(share_of(:'c', :'r') + share_of(:'d', :'r'), 0::numeric, 'and nothing for the second');
select sluice.pause(:'a'), sluice.pause(:'b') \g /dev/null
select count(*) as before from sluice.result where model in (:'c', :'d') \gset
select served(:w, null, 10, 100, 10) \g /dev/null
select cmp_ok(abs(100.0 * count(*) filter (where model = :'c') / count(*) - 70), '<=', 5::numeric,
  'then the second by its own')
from sluice.result where model in (:'c', :'d');
select sluice.resume(:'a'), sluice.resume(:'b') \g /dev/null
select sluice.note_meter(own_line(:'r'), id_of(m), at(20), 0, 1)
from unnest(array[:'a', :'b', :'c', :'d']) m \g /dev/null
select is(sluice.route_weight(own_line(:'r'), 0, at(20), 2), 100::float8, 'of one tier');
select is(sluice.route_weight(own_line(:'r'), 0, at(20), 1, 2), 200::float8, 'of two');

select * from finish();
rollback;
