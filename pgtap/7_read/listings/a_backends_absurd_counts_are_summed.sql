begin;
\set alone
\ir ../../_helpers.sql
select plan(1);

-- The most that a backend can have stored: it must not make the look at everything fail for ten
-- minutes.
delete from sluice.result;
insert into sluice.task (id, created_at, priority, model, tenant, prompt)
  values (1, at(0), 0, 1, 'a', 'x');
insert into sluice.result (task_id, created_at, started_at, finished_at, fence, attempts, status,
  model, input_tokens, output_tokens)
values (1, at(0), at(0), at(100), 1, 1, 'solved', 'm', 2147483647, 2147483647);
select is((select tokens_per_min from sluice.recent_ends('1 minute', at(100)) where scope = 'all'),
  4294967294::double precision, 'in and out, together more than an int');

select * from finish();
rollback;
