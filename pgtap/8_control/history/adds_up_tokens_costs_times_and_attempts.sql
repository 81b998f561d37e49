begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(9);

select given_model() as m, given_model() as other \gset
update sluice.models set input_price = 1000000, output_price = 2000000 where name = :'m';
select given_looks();
select given_end(:'m', 'solved', at(0), p_call_s => 2, p_input_tokens => 3, p_output_tokens => 4),
  given_end(:'m', 'failed', at(10), p_call_s => 4, p_input_tokens => 1),
  given_end(:'m', 'retry', at(20), p_input_tokens => 10, p_output_tokens => 1) as t \gset
select sluice.wake(at(40)) \g /dev/null
select claimed(given_worker(array[:'m'], at(40)), 1, at(40)) \g /dev/null
select completed(worker, told(:t, 'solved', 2), at(43)) from sluice.lease
where task_id = :t \g /dev/null
insert into sluice.attempt (task_id, started_at, fence, input_tokens, kind, model)
  values (:t, at(41), 2, 100, 'hedged', :'m');
select count(*) as ends
from sluice.cells_of((sluice.begin_look(at(59))).look, 9223372036854775807)
where solved + failed > 0 \gset
select is((select sum(c.retries) from sluice.history_look l
  cross join lateral sluice.cells_of(l, 9223372036854775807) c), 1::numeric,
  'and calls');
select is(:ends, 3, 'ends with different times are different cells');
select is(sluice.count_ends(at(60)), 3::bigint, 'a look that was begun goes on');
select h.* from sluice.history h where h.step = 'minute' and h.model = :'m' and h.at = at(0) \gset
select is(row(:input_tokens, :output_tokens, :cost)::text, row(4, 4, 12)::text, 'tokens and cost');
select is(row(:retries, :hedges, :wasted_tokens)::text, row(1, 1, 111)::text,
  'retries, hedges and what they used');
select is(row(:called, :call_s, :wait_s)::text, row(3, 9, 2 + (select extract(epoch
    from started_at - queued_at)::float8 from sluice.result where task_id = :t))::text,
  'sums of times');
select is(:call_p50_s between 2.5 and 3.6, true, 'the call in the middle');
select is(:total_p99_s between 19 and 28, true, 'the longest way');
select is((select sum(solved) from sluice.history where model = :'other'), null,
  'no row of a model of which nothing ended');

select * from finish();
rollback;
