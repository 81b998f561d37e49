-- sluice.fallbacks_text
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_task(:'m') as t \gset
select is(sluice.fallbacks_text(:t), '', 'none');
insert into sluice.attempt (task_id, ended_at, fence, kind, model, error_code, fallback_to)
values (:t, at(1), 1, 'rerouted', 'a', 'context_too_long', 'b'),
  (:t, at(2), 2, 'rerouted', 'b', 'breaker_open', :'m');
select is(sluice.fallbacks_text(:t),
  format('; it went from a to b (context too long), from b to %s (breaker open)', :'m'), 'two');
select matches(sluice.explain(:t, at(3)), 'queued for .*; it went from a to b', 'explain has them');

select * from finish();
rollback;
