-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model(tpm => 6000) as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select given_task(:'m', max_output_tokens => 5000) as big \gset
select given_task(:'m', max_output_tokens => 100) as next \gset
select is(claimed(:w, 10, at(1)), array[:big]::bigint[],
  'a head larger than the burst is granted, and nothing behind it');
select is((select reserved_tokens from sluice.lease where task_id = :big), 5010::bigint,
  'what it may use is reserved');
select is(sluice.tokens_spent(:id, at(1)), 5010::bigint, 'and booked');
select is(claimed(:w, 10, at(30)), '{}', 'in debt: nothing');
select is(queued(:'m'), array[:next]::bigint[], 'the next waits at its place');
select is(claimed(:w, 10, sluice.next_permit_at(:'m', at(30))), array[:next]::bigint[],
  'until the debt is paid');
select is((select send_within_ms from sluice.requests(:w, array[:next]::bigint[])), 200,
  'a permit is to be used soon');

select * from finish();
rollback;
