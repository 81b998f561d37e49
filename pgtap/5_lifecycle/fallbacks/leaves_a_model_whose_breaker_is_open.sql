-- sluice.leave_broken, sluice.leave_line, sluice.leave_page
begin;
\set alone
\ir ../../_helpers.sql
select plan(11);

select given_model() as a, given_model() as b, given_model() as spare \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a', :'b', :'spare']) as w \gset
insert into sluice.fallbacks values (:'a', 'breaker_open', :'spare'),
  (:'r', 'breaker_open', :'spare');
select given_task(:'a') as t, given_task(:'r') as q, given_task(:'b') as other \gset
select sluice.leave_broken(at(1)) \g /dev/null
select is(array[places(:t), places(:q)], '{queue,queue}', 'while it is closed they wait');
select sluice.move_breaker(id_of(:'a'), 'closed', 'open', 'a test', at(1)) \g /dev/null
select sluice.leave_broken(at(2)) \g /dev/null
select is(array[places(:t), places(:q)], '{later,queue}',
  'the model''s task leaves; the route has another model');
select results_eq(format($$select kind, model, fallback_to, error_code from sluice.attempts(%s)$$,
    :t), format($$values ('rerouted'::text, %L::text, %L::text, 'breaker_open'::text)$$, :'a',
    :'spare'), 'it is noted');
select sluice.move_breaker(id_of(:'b'), 'closed', 'open', 'a test', at(3)) \g /dev/null
select sluice.leave_broken(at(4)) \g /dev/null
select is(array[places(:q), places(:other)], '{later,queue}', 'then none; b has no fallback');
select is(sluice.wake(at(5)), 2, 'they go');
select is(array(select c.model from sluice.claim(:w, null, 5, at(5)) c),
  array[:'spare', :'spare'], 'and are called');

select given_task(:'a', p_now => at(6)) as u \gset
update sluice.models set breaker_open = '30 s' where name = :'a';
select sluice.leave_broken(at(40)) \g /dev/null
select is(places(:u), 'queue', 'one that comes when it is time for a probe is that');
select sluice.move_breaker(id_of(:'a'), 'open', 'half_open', 'a test', at(40)) \g /dev/null
select sluice.leave_broken(at(41)) \g /dev/null
select is(places(:u), 'queue', 'or waits for its end');
select sluice.move_breaker(id_of(:'a'), 'half_open', 'open', 'a test', at(42)) \g /dev/null
select setval('sluice.sweep_after', 1) \g /dev/null
select isnt(sluice.sweep(at(43)), null, 'a sweep');
select is(places(:u), 'later', 'sees to it');

select given_tasks(:'a', sluice.leave_page() + 1, at(43)) \g /dev/null
select sluice.leave_broken(at(44)) \g /dev/null
select is(cardinality(queued(:'a')), 1, 'page by page');

select * from finish();
rollback;
