-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(tpm => 60000) as m \gset
select given_tenant(tpm => 6000) as t \gset
select given_worker() as w \gset
select given_task(:'m', tenant => :'t', max_output_tokens => 90)
from generate_series(1, 10) \g /dev/null
select is(cardinality(claimed(:w, 10, at(1))), 1,
  'the tenant''s bucket bounds: 61 tokens, and the head in full');
select is((select sum(tokens) from sluice.spent where account = id_of(:'m')), 100::numeric,
  'the model was charged for that one only');
select is((select sum(s.tokens) from sluice.spent s join sluice.tenants t on s.account = -t.id
  where t.name = :'t'), 100::numeric, 'and so was the tenant');
select task_id as task from sluice.lease where worker = :w \gset
select completed(:w, told(:task, 'solved', input_tokens => 3, output_tokens => 4)) \g /dev/null
select is((select sum(s.tokens) from sluice.spent s join sluice.tenants t on s.account = -t.id
  where t.name = :'t'), 7::numeric, 'its account is settled, too');

select * from finish();
rollback;
