begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

insert into sluice.attempt (task_id, ended_at, fence, kind, model, error_code)
select 1, at(0), 1, k, 'm', c
from (values ('retry', 'http_500'), ('retry', 'http_500'), ('failed', 'http_400'), ('lost', null),
  ('late', null),
  ('redriven', null), ('returned', 'not_sent'), ('returned', 'batch_failed')) v (k, c);
select results_eq($$ select model, kind, error_code, calls, latest
  from sluice.recent_failures('1 minute', at(59)) order by kind $$,
  $$ values ('m', 'failed', 'http_400', 1::bigint, at(0)), ('m', 'lost', null, 1, at(0)),
    ('m', 'retry', 'http_500', 2, at(0)), ('m', 'returned', 'not_sent', 1, at(0)) $$,
  'late results and redriven tasks are no failures');
select is((select calls from sluice.recent_failures('1 minute', at(59)) limit 1), 2::bigint,
  'the most frequent first');
select is_empty($$ select * from sluice.recent_failures('1 minute', at(60)) $$, 'none of before');

select * from finish();
rollback;
