-- sluice.urgent_tasks, sluice.usual_call, sluice.route_share
begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as slow, given_model() as quick \gset
select given_route(:'slow', :'quick') as r \gset
update sluice.routes set tier = 2 where route = :'r' and model = :'quick';
select own_line(:'r') as line, id_of(:'quick') as quick_id \gset
select given_worker(array[:'slow', :'quick']) as w, given_worker(array[:'quick']) as w_q \gset
select given_task(:'r', deadline => at(20)) as urgent, given_task(:'r', deadline => at(2)) as late,
  given_task(:'r', deadline => at(1000)) as easy, given_task(:'r') as free \gset
select is(sluice.usual_call(:'slow', at(1)), null, 'nothing is known of its calls');
select is(sluice.urgent_tasks(:line, :quick_id, 2, 9, at(1)), 0, 'so all is left to it');
insert into sluice.history_row (step, at, model, called, call_s) values
  ('minute', at(-600), :'slow', 10, 600), ('minute', at(-7200), :'slow', 10, 1),
  ('minute', at(-600), :'quick', 10, 50);
select is(sluice.usual_call(:'slow', at(1)), '1 minute'::interval,
  'in the last hour a minute each');
select is(sluice.urgent_tasks(:line, :quick_id, 2, 9, at(1)), 2, 'two tasks have less time');
select is(sluice.urgent_tasks(:line, :quick_id, 2, 1, at(1)), 1, 'as many as are wanted');
select sluice.may_take(:line, id_of(:'slow'), 1, 0, at(1)) \g /dev/null
select is((sluice.route_share(:line, m, 1, 2, 'weight', 9, at(1), :w_q)).most, 2,
  'the quick one may have them') from sluice.models m where m.id = :quick_id;
select is(claimed(:w_q, 9, at(1)), array[:late::bigint, :urgent], 'and does');
select is(claimed(:w_q, 9, at(1.1)), '{}', 'the others wait for the slow one');
update sluice.history_row set call_s = 700 where model = :'quick';
select given_task(:'r', deadline => at(20)) \g /dev/null
select is(sluice.urgent_tasks(:line, :quick_id, 2, 9, at(1.2)), 0, 'as if it is no quicker');

select * from finish();
rollback;
