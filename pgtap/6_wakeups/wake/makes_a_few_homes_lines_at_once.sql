begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

select array_agg(given_model()) as models from generate_series(1, 18) \gset
select given_route(variadic :'models'::text[]) as r \gset
create function keyed(p_route text, p_at numeric) returns bigint[] language sql as $$
  select array(select sluice.submit_many((select jsonb_agg(jsonb_build_object('prompt', 'x',
    'model', p_route, 'affinity_key', 'key ' || n)) from generate_series(1, 300) n), at(p_at))) $$;
select keyed(:'r', 0) as ids \gset
select is(count(*)::int, 300, 'no line is there') from sluice.later where route = :'r';
select is(sluice.wake(at(0)), 300, 'all move');
select is(count(*)::int, 16, 'so many lines are made') from sluice.route_line
where route = :'r' and model is not null;
select is(sluice.depth(own_line(:'r')) between 10 and 100, true, 'what is left goes to any model');
select keyed(:'r', 1), sluice.wake(at(1)) \g /dev/null
select is(count(*)::int, 18, 'the next call makes the others') from sluice.route_line
where route = :'r' and model is not null;
select is((select count(*) from sluice.queue where task_id = any (:'ids'))::int, 300,
  'and nothing is lost');

select * from finish();
rollback;
