begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(5);

select given_model() as m \gset
select given_route(:'m') as r \gset
select waits(:'m', 'a', 100), waits(:'r', 'b', 3) \g /dev/null
create temporary table looked on commit drop as
select c.* from unnest(sluice.peek(sluice.lane_heads(id_of(:'m'),
  9) || sluice.lane_heads(own_line(:'r'), 9), '{32,9}', at(1))) c;
select is((select count(*) from looked where line = own_line(:'r')), 3::bigint,
  'all of a short one');
select is((select array_agg(place order by ready_at) from looked where line = id_of(:'m')),
  array(select generate_series(1, 32)), 'the first of a long one');
select is((select array_agg(distinct lane) from looked where line = own_line(:'r')), '{2}',
  'each with its lane');
select is((select array_agg(ready_at) from looked where has_more), array[at(0.032)],
  'the last of one that may have more says so');
select waits(:'r', 'b', 97, p_deadline => at(900)) \g /dev/null
select is((select count(*) from unnest(sluice.peek(sluice.lane_heads(own_line(:'r'), 9), '{9}',
  at(1)))), 32::bigint, 'where deadlines order, 32');

select * from finish();
rollback;
