begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select own_line(:'r') as line \gset
select given_worker() as w \gset
select given_task(:'r') from generate_series(1, 10) \g /dev/null
select given_task(:'a', 0, at(0.5)) from generate_series(1, 3) \g /dev/null
select given_task(:'a', 0, at(1)) as t, given_task(:'a', 10, at(1)) as urgent,
  given_task(:'r', 0, at(1)) as routed \gset
select is(sluice.tasks_ahead(:t, id_of(:'a'), at(2))::text, '(14,10)',
  'nobody else asks: the model takes them all');
select is(sluice.tasks_ahead(:urgent, id_of(:'a'), at(2))::text, '(0,)', 'nothing of a worse rank');
select is(sluice.tasks_ahead(:routed, :line, at(2))::text, '(10,)',
  'of a route''s task those of its line');
select sluice.may_take(:line, id_of(:'b'), 1, 0, at(2)) \g /dev/null
select is(sluice.tasks_ahead(:t, id_of(:'a'), at(2))::text, '(9,5)',
  'half of them, beside one of the same weight that asks');
select is(sluice.explain(:t, at(2)),
  format('queued for %s: 9 ahead (about 5 of them by routes), claimed as slots become free', :'a'),
    'and says so');
update sluice.routes set weight = 4 where model = :'b';
select is(sluice.tasks_ahead(:t, id_of(:'a'), at(2))::text, '(6,2)', 'a fifth');

select * from finish();
rollback;
