-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(15);

select given_model() as m \gset
select given_worker() as w \gset
select given_worker() as other \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
-- Each kind has its way to end a call, and none of them may.
create function still_under_way(p_task bigint, p_worker bigint,
  p_outcome sluice.outcome) returns boolean language plpgsql
as $$
begin
  return not completed(p_worker, p_outcome) and places(p_task) = 'lease';
end
$$;
select ok(still_under_way(:t, c.worker, told(:t, k, c.fence)), format('%s: %s', k, c.why))
from unnest(array['solved', 'failed', 'retry', 'returned', 'throttled']) k
cross join (values (:other::bigint, 1, 'not this worker''s'), (:w, 2, 'not this fence''s'),
  (:w, null, 'no fence at all'))
  c(worker, fence, why);

select * from finish();
rollback;
