-- sluice.take_turns
begin;
\ir ../../_helpers.sql
select plan(2);

-- The tenant may call, says its headroom, but has tokens for one task only.
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tenant(tpm => 3000) as t \gset
select count(given_task(:'m', tenant => :'t', max_output_tokens => 100)),
  count(given_task(:'m', max_output_tokens => 100))
from generate_series(1, 10) \g /dev/null
select claimed(:w, 8, at(100)) as ids \gset
select is(cardinality(:'ids'::bigint[]), 8, 'all places are taken');
select is((select count(*) from sluice.lease where worker = :w and tenant = :'t'), 1::bigint,
  'one by who has tokens for one');

select * from finish();
rollback;
