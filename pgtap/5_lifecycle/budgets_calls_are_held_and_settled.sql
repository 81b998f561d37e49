-- sluice.needs_of, sluice.within_budgets, sluice.lock_budgets, sluice.hold_budgets,
-- sluice.settle_budgets, sluice.keep_held, sluice.clean_budgets, sluice.budget_excesses
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(28);

select given_priced_model() as m \gset
select given_budget('model', :'m', 1000) as b, given_worker(array[:'m']) as w \gset
select given_calls(:'m', 15) as ids \gset
select claimed(:w, 4) as got \gset
select is(cardinality(:'got'::bigint[]), 4, 'four calls that may cost 100 each');
select is(stands(:'b'), '0+400', 'are held');
select (:'got'::bigint[])[1] as a, (:'got'::bigint[])[2] as bb, (:'got'::bigint[])[3] as c,
  (:'got'::bigint[])[4] as d \gset
select completed(:w, told(:a, 'solved', input_tokens => 20, output_tokens => 5)) \g /dev/null
select is(stands(:'b'), '25+300', 'one is settled to what it cost');
select is((select cost from sluice.task(:a)), 0.000000025, 'as its result says');
select completed(:w, told(:bb, 'returned')) \g /dev/null
select is(stands(:'b'), '25+200', 'one was never sent');
select completed(:w, told(:c, 'failed', error => 'HTTP 500')) \g /dev/null
select is(stands(:'b'), '125+100', 'of one nobody knows whether it was billed: it is kept');
select completed(:w, told(:d, 'failed', error => 'HTTP 400', billed => false)) \g /dev/null
select is(stands(:'b'), '125+0', 'one was not billed');

select is(cardinality(claimed(:w, 20, at(3))), 8, 'more begin, as many as fit');
select is(stands(:'b', at(3)), '125+800', 'to the nano-unit');
select is((select count(*) from sluice.later l where l.task_id = any (:'ids'::bigint[])
  and l.ready_at = timestamptz '2040-01-02 00:00Z'), 4::bigint,
  'others wait until these are settled, or for tomorrow');
select sluice.unregister_worker(:w, at(4)) \g /dev/null
select is(stands(:'b', at(4)), '925+0', 'what a lost worker had is kept');
select sluice.complete(given_worker(), array(select told(c.task_id, 'solved', c.fence,
    input_tokens => 0, output_tokens => 0) from sluice.budget_call c where c.state = 'kept'), at(4))
  \g /dev/null
select is(stands(:'b', at(4)), '925+0', 'whatever another worker tells of its calls,');
select applied from sluice.complete(:w, array(select told(c.task_id, 'solved', c.fence, input_tokens
    => 9, output_tokens => 1) from sluice.budget_call c where c.state = 'kept'
    and c.ended_at = at(4) order by c.task_id limit 2), at(5)) \g /dev/null
select is(stands(:'b', at(5)), '745+0', 'until its answers come late');
select is((select sum(nanos) from sluice.budget_call where budget = (budget_row(:'b')).id),
  745::numeric, 'the calls add up to the account');
select sluice.clean_budgets(at(100000));
select is((select count(*) from sluice.budget_call where budget = (budget_row(:'b')).id), 0::bigint,
  'calls of yesterday are forgotten');
select is(stands(:'b', at(5)), '745+0', 'what they cost is not');
select given_budget('model', :'m', 1000, is_hard => false) as soft \gset
delete from sluice.budgets where name = :'b';
select given_calls(:'m', 30) as many, given_worker(array[:'m'], at(6)) as w2 \gset
select claimed(:w2, 20, at(6)) \g /dev/null
select completed(:w2, told(l.task_id, 'solved', l.fence, input_tokens => 90, output_tokens => 5),
  at(7)) from sluice.lease l where l.worker = :w2 \g /dev/null
select claimed(:w2, 1, at(8)) \g /dev/null
select is(stands(:'soft', at(8)), '1900+100', 'a budget that only tells lets all begin');
select sluice.look_at_budgets(at(8)) \g /dev/null
select is((select marks_hit from sluice.budget_rows(:'soft', at(8))), array[80, 100],
  'and its marks are noted');

select given_budget('model', :'m', 100000) as hard, given_worker(array[:'m'], at(9)) as w3 \gset
select given_calls(:'m', 1) as ids \gset
select claimed(:w3, 1, at(9)) as got \gset
select completed(:w3, told((:'got'::bigint[])[1], 'solved', input_tokens => -1000, output_tokens
  => 5), at(9)) \g /dev/null
select is(stands(:'hard', at(9)), '0+0', 'less than nothing gives nothing back');
select given_calls(:'m', 4) as ids \gset
select claimed(:w3, 4, at(9)) as got \gset
select is(stands(:'hard', at(9)), '0+400', 'four more');
select completed(:w3, told((:'got'::bigint[])[1], 'solved', input_tokens => 20), at(10))
  \g /dev/null
select is(stands(:'hard', at(10)), '100+300', 'one count of two settles nothing');
select is(applied, true, 'a backend tells more tokens than the call can have had') from
  sluice.complete(:w3, array[told((:'got'::bigint[])[4], 'solved', input_tokens => 2147483647,
    output_tokens => 5)], at(10));
select is(stands(:'hard', at(10)), '200+200', 'what was held is booked');
select is((select cost from sluice.task((:'got'::bigint[])[4])), 2.147483652,
  'the call keeps what was told');
select results_eq('select * from sluice.budget_excesses()', format(
  'values (%L::text, 1::bigint, 2.147483652, 0.0000001)', :'m'), 'and its model is named');
update sluice.models set name = name || '-new' where name = :'m';
select completed(:w3, told((:'got'::bigint[])[2], 'solved', input_tokens => 20, output_tokens => 5),
  at(10)) \g /dev/null
select is(stands(:'hard', at(10)), '225+100', 'the call of a renamed model is settled');
delete from sluice.prices where model = :'m' || '-new';
select completed(:w3, told((:'got'::bigint[])[3], 'solved', input_tokens => 20, output_tokens => 5),
  at(10)) \g /dev/null
select is(stands(:'hard', at(10)), '325+0', 'without a list it is kept');
select throws_ok(
  'set local transaction isolation level repeatable read; select sluice.lock_budgets()', '25001',
  null, 'an old snapshot would not see what others hold');

select * from finish();
rollback;
