-- sluice.urgent_before, sluice.usual_call, sluice.route_share
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
select is(sluice.urgent_before(:line, :quick_id, 2, at(1)), null, 'so all is left to it');
insert into sluice.history_row (step, at, model, called, call_s) values
  ('minute', at(-600), :'slow', 10, 600), ('minute', at(-7200), :'slow', 10, 1),
  ('minute', at(-600), :'quick', 10, 50);
select is(sluice.usual_call(:'slow', at(1)), '1 minute'::interval,
  'in the last hour a minute each');
select is(sluice.urgent_before(:line, :quick_id, 2, at(1)), at(61), 'some tasks have less time');
select sluice.may_take(:line, id_of(:'slow'), 1, 0, at(1)) \g /dev/null
select is(sluice.route_share(:line, m, 1, 2, 'weight', 9, at(1), :w_q),
  row(:line, null, null, at(61), null)::sluice.claim_share,
  'the quick one may have them') from sluice.models m where m.id = :quick_id;
select is(claimed(:w_q, 9, at(1)), array[:late::bigint, :urgent], 'and does');
select is(claimed(:w_q, 9, at(1.1)), '{}', 'the others wait for the slow one');
select sluice.rescan_deadlines(:line, at(1.1)) \g /dev/null
select is(sluice.urgent_before(:line, :quick_id, 2, at(1.1)), null, 'none has less time now');
update sluice.history_row set call_s = 700 where model = :'quick';
select given_task(:'r', deadline => at(20)) \g /dev/null
select is(sluice.urgent_before(:line, :quick_id, 2, at(1.2)), null, 'as if it is no quicker');

select * from finish();
rollback;
