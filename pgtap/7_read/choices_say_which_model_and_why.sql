-- sluice.route_choices, sluice.choice_text
begin;
\ir ../_helpers.sql
\ir ../4_policy/choice/_speeds.sql
select plan(11);

select given_model() as fast, given_model() as slow \gset
select given_choice('latency', :'fast', :'slow') as r \gset
select given_worker(array[:'fast', :'slow'], at(1)) as w \gset
select given_speed(:'fast', 0.01, at(1)), given_speed(:'slow', 0.03, at(1)) \g /dev/null
select given_task(:'r', p_now => at(1)) as task \gset
select alike(sluice.explain(:task, at(1)), format(
  'queued for route %s: %%; by latency: %s 99 %%%% (10.00 ms a token, 0 under way), '
  '%s 1 %%%% (30.00 ms a token, 0 under way)', :'r', :'fast', :'slow'), 'of a task that waits');
select claimed(:w, 1, at(1)) \g /dev/null
select alike(sluice.explain(:task, at(1)), format(
  'processing by %%on %s of route %s%%; by latency: %s 99 %%%%1 under way%%', :'fast',
  :'r', :'fast'), 'of one that a model has');
select is((select array_agg(round(c.share::numeric, 2) order by c.model = :'slow')
  from sluice.route_choices(:'r', at(1)) c), '{0.99,0.01}', 'shares');
update sluice.routes set prefer = 'balanced' where route = :'r';
select price(:'fast', 5), price(:'slow', 1) \g /dev/null
select is((select array_agg(c.price order by c.model = :'slow')
  from sluice.route_choices(:'r', at(1)) c), '{0.005,0.001}', 'prices');
update sluice.routes set prefer = 'cost' where route = :'r';
select is((select array_agg(c.share order by c.model = :'slow')
  from sluice.route_choices(:'r', at(1)) c), '{0,1}', 'the cheapest has all');
select sluice.pause(:'slow') \g /dev/null
select is((select array_agg(c.share || coalesce(' ' || c.blocked, '') order by c.model = :'slow')
  from sluice.route_choices(:'r', at(1)) c), '{1,"0 the model is paused"}', 'of those that can');
update sluice.routes set prefer = 'weight', weight = 3 where route = :'r' and model = :'fast';
select is((select array_agg(c.share order by c.model = :'slow')
  from sluice.route_choices(:'r', at(1)) c), '{1,0}', 'weights');
select is(sluice.choice_text(:'r', at(1)), '', 'of which explain says nothing');

-- One call by latency, then cost: nothing is known of the cheapest, which takes every task.
select given_model() as known, given_model() as cheap \gset
select given_choice('cost', :'known', :'cheap') as c \gset
select given_worker(array[:'known', :'cheap'], at(1)) as w \gset
select price(:'known', 5), price(:'cheap', 1), given_speed(:'known', 0.01, at(1)) \g /dev/null
select is((select array_agg(c.share order by c.model = :'cheap')
  from sluice.route_choices(:'c', at(1)) c), '{0,1}', 'the cheapest has all before its first call');
select alike(sluice.choice_text(:'c', at(1)), format('; by cost: %s 100 %%%%', :'cheap'),
  'and explain says so');
select alike(sluice.explain(given_task(:'c', deadline => at(9), p_now => at(1)), at(1)),
  '%; by cost: %; but one with a deadline goes to the cheapest that keeps it, or the fastest',
  'a deadline may decide otherwise');

select * from finish();
rollback;
