begin;
\set alone
\ir ../_helpers.sql
select plan(31);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select set_config('test.route', :'r', true), id_of(:'a') as id_a \gset
select given_worker(array[:'a']) as wa, given_worker(array[:'b']) as wb \gset
create function keyed(p_key text, p_at numeric, p_request text default null) returns bigint
language sql as $$
  select sluice.submit(case when p_request is null then 'x' end, current_setting('test.route'),
    request => p_request, affinity_key => p_key, p_now => at(p_at))
$$;
-- home_key: a key that is at home with a model.
create function home_key(p_model text, p_nth int default 1) returns text language sql as $$
  select 'key ' || n
  from generate_series(1, 100) n
  cross join sluice.homes_of(current_setting('test.route'), null, at(1)) h
  where sluice.home_of('key ' || n, h.ids, h.weights) = id_of(p_model)
  order by n offset p_nth - 1 limit 1 $$;
select home_key(:'a') as ka, home_key(:'b') as kb \gset
-- The first one has no line yet.
select keyed(:'ka', 0) as first \gset
select is(places(:first), 'later', 'a home''s line is not made by a submit');
select sluice.wake(at(0)) as woken \gset
select is(places(:first), 'queue', 'but when its first task is due');
select keyed(:'ka', 0) as second, keyed(:'kb', 0) as other \gset
select is(places(:second), 'queue', 'then it is there');
select sluice.wake(at(0)) \g /dev/null
select line as home_a from sluice.find_place(:first, null, :'r') \gset
select line as home_b from sluice.find_place(:other, null, :'r') \gset
select is(:home_a <> :home_b and :home_a <> own_line(:'r'), true, 'each home has one');
select is(sluice.line_of(null, :'r', null, null, id_of(:'a')), :home_a, 'of the route and it');
select is((select array_agg(l order by l) from sluice.task t
    cross join unnest(sluice.lines_of_task(sluice.facts_of(t))) l where t.id = :first),
  (select array_agg(-n order by -n) from sluice.route_line where route = :'r' and api is null),
  'a task may be in any of them');
select is(sluice.lines_of_model(id_of(:'a')), array[id_of(:'a')], 'they are not the model''s own');
select is((sluice.task(:first)).affinity_key, :'ka', 'the key is shown');
select matches(sluice.explain(:first, at(1)), 'home: ' || :'a', 'and its home explained');
select matches(sluice.explain(:first, at(1)), :'b' || ' \(not the home of its key\)',
  'and why the other does not take it');

select is((sluice.next_work(array[id_of(:'b')], at(1), :wb)).work, true, 'the other has its own');
select is(claimed(:wb, 10, at(1)), array[:other]::bigint[], 'which it takes');
select is((sluice.next_work(array[id_of(:'b')], at(1), :wb)).work, false, 'and then no work');
select is(claimed(:wb, 10, at(1)), '{}', 'for it leaves the first''s alone');
select is(claimed(:wa, 1, at(1)), array[:first]::bigint[], 'they wait for their home');
select completed(:wa, told(:first, 'retry', 2, error => 'busy')) \g /dev/null
select sluice.wake(at(900)) \g /dev/null
select sluice.heartbeat(w, at(900)) from unnest(array[:wa, :wb]) w \g /dev/null
select is((select line from sluice.find_place(:first, null, :'r')), :home_a,
  'one that failed goes home');

-- A home that cannot be called.
select is(sluice.leaves_home(:home_a, id_of(:'a'), false, at(900)), false, 'while it can');
update sluice.models set paused = true where name = :'a';
select is(sluice.leaves_home(:home_a, id_of(:'a'), false, at(900)), true, 'and when it cannot');
select is((sluice.next_work(array[id_of(:'b')], at(900), :wb)).work, true, 'others have work');
select is((select array_agg(t order by t) from unnest(claimed(:wb, 10, at(900))) t),
  array[:first, :second]::bigint[], 'and take what waits');
select keyed(:'ka', 901) as next \gset
select is((select line from sluice.find_place(:next, null, :'r')), :home_b,
  'what comes goes to the key''s new home');
update sluice.models set paused = false where name = :'a';
select keyed(:'ka', 902) as back \gset
select is((select line from sluice.find_place(:back, null, :'r')), :home_a,
  'until the old one is back');
delete from sluice.routes where route = :'r' and model = :'a';
select is(sluice.leaves_home(:home_a, id_of(:'a'), false, at(902)), true,
  'who has left the route leaves its keys');
insert into sluice.routes (route, model) values (:'r', :'a');

-- Others are idle, and the home is behind.
select is(sluice.leaves_home(:home_a, id_of(:'a'), true, at(905)), false, 'for a while it waits');
select sluice.heartbeat(w, at(913)) from unnest(array[:wa, :wb]) w \g /dev/null
select is(sluice.leaves_home(:home_a, id_of(:'a'), true, at(913)), true,
  'who has waited for long goes to the idle');
select is(sluice.leaves_home(:home_a, id_of(:'a'), false, at(913)), false, 'not to the busy');

-- Verbatim requests, and what goes with the model.
select keyed(:'ka', 913, '{"messages": []}') as verbatim \gset
select sluice.wake(at(913)) \g /dev/null
select is((select l.api from sluice.find_place(:verbatim, null, :'r') p
  join sluice.route_line l on l.n = -p.line and l.model = id_of(:'a')), 'solve',
  'requests have lines of their own');
select line as requests from sluice.find_place(:verbatim, null, :'r') \gset
update sluice.models set api = 'openai-chat' where name = :'a';
select is(array[sluice.leaves_home(:requests, id_of(:'a'), false, at(913)),
    sluice.leaves_home(:home_a, id_of(:'a'), false, at(913))], '{t,f}',
  'which it leaves when it speaks another api');
select is(sluice.cancel(:verbatim), 'cancelled', 'a task is found in them');
set constraints all immediate;
select throws_like(format('delete from sluice.models where name = %L', :'a'),
  '%has unfinished tasks: 3', 'a home of tasks that wait, or may come back, is not deleted');
select completed(:wb, told(l.task_id, 'solved', l.fence, 'x'), at(914)) from sluice.lease l
where l.worker = :wb \g /dev/null
select sluice.cancel(:back) \g /dev/null
delete from sluice.models where name = :'a';
select is_empty(format('select from sluice.route_line where model = %s', :'id_a'),
  'its lines go with it');

select * from finish();
rollback;
