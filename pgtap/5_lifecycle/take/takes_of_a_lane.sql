begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(6);

-- A deadline brings forward another task than the first one.
select given_model() as m \gset
select given_route(:'m') as r \gset
select waits(:'m', 'a', 3, 40), waits(:'m', 'a', 1, 400, p_deadline => at(900)),
  waits(:'m', 'b', 3, 40, p_ready => at(0.5)) \g /dev/null
select waits(:'r', 'a', 5) \g /dev/null
create function taken(p_model text, p_name text, p_heads int, p_most int, p_places int,
  out rows int, out bytes int)
language sql
as $$ select cardinality(t.leases), t.leases[1].request_bytes
  from sluice.take_straight(id_of(p_model), 1, sluice.lane_heads(own_line(p_name), p_heads), '{}',
    array[row(own_line(p_name), p_most, null, null, null)]::sluice.claim_share[], p_places,
    at(1)) t $$;
select is(taken(:'m', :'m', 2, null, 1), row(1, 400), 'of several lanes one');
select is(clock(:'m', 'a'), 100::float8, 'whose clock moves by its tokens');
select is(taken(:'m', :'m', 0, null, 1), row(0, null::int), 'of no lane none');
select is(taken(:'m', :'r', 1, 1, 2), row(1, 4), 'of one lane within the share of its line');
select is(taken(:'m', :'r', 1, 9, 2), row(2, 4), 'as many as are wanted');
select is(taken(:'m', :'m', 1, null, 9), row(3, 40), 'or there are');

select * from finish();
rollback;
