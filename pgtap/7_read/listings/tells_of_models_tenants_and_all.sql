begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

delete from sluice.result;
insert into sluice.task (id, created_at, priority, model, tenant, prompt)
select n, at(0), 0, 1, case when n <= 100 then 'a' else 'b' end, 'x' from generate_series(1, 110) n;
insert into sluice.result (task_id, created_at, started_at, finished_at, fence, attempts, status,
  model, input_tokens, output_tokens)
select n, at(0), at(100) - n * interval '10 ms', at(100), 1, 1, 'solved', 'm', 4, 6
from generate_series(1, 100) n;
insert into sluice.result (task_id, created_at, finished_at, fence, attempts, status, model)
select n, at(0), at(100), 1, 1, case when n <= 105 then 'failed' else 'cancelled' end,
  case when n <= 105 then 'm' end
from generate_series(101, 110) n;

create temporary view recent as
select scope, name, solved, failed, tokens_per_min, round(p50_s::numeric, 3) as p50,
  round(p99_s::numeric, 3) as p99
from sluice.recent_ends('1 minute', at(150));
select results_eq('select * from recent', $$
  values ('all', null, 100::bigint, 5::bigint, 1000::double precision, 0.505, 0.990),
  ('model', 'm', 100, 5, 1000, 0.505, 0.990), ('tenant', 'a', 100, 0, 1000, 0.505, 0.990),
    ('tenant', 'b', 0, 5, 0, null, null) $$,
  'a row each');
select results_eq($$ select scope, solved from sluice.recent_ends('1 minute', at(160)) $$, $$
  values ('all', 0::bigint) $$, 'none of before');

-- A tenant with a role: his own figures, and those of the models.
select given_tenant('sluice_reader') as c \gset
update sluice.task set tenant = :'c' where id <= 10;
set local role :"c";
select is(array(select name from sluice.recent_ends('1 minute', at(150)) where scope = 'tenant'),
  array[:'c'], 'a bound caller sees his tenant');
reset role;
select ok(:'c' = any (array(select name from sluice.recent_ends('1 minute', at(150))
  where scope = 'tenant')), 'an administrator all');

-- More than it looks at: the figures are of the newest, over the time that they span.
delete from sluice.result;
insert into sluice.task (id, created_at, priority, model, tenant, prompt)
select n, at(0), 0, 1, 'a', 'x' from generate_series(1001, 7000) n;
insert into sluice.result (task_id, created_at, started_at, finished_at, fence, attempts, status,
  model, input_tokens)
select n, at(0), at(0), at(0) + (n - 1000) * interval '10 ms', 1, 1, 'solved', 'm', 1
from generate_series(1001, 7000) n;
select is((select solved from sluice.recent_ends('10 minutes', at(60)) where scope = 'all'),
  5000::bigint, 'the newest 5,000');
select ok((select tokens_per_min between 5990 and 6010 from sluice.recent_ends('10 minutes', at(60))
  where scope = 'all'), 'a rate of what was looked at');

select * from finish();
rollback;
