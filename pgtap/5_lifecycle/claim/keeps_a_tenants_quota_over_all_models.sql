-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a \gset
select given_model() as b \gset
select given_tenant(rpm => 300) as t \gset
select given_worker() as w \gset
select given_task(:'a', tenant => :'t') from generate_series(1, 10) \g /dev/null
select given_task(:'b', tenant => :'t') from generate_series(1, 10) \g /dev/null
select is(cardinality(claimed(:w, 50, at(1))), 4,
  'a burst of 1 + rpm / 100, of both models together');
select is(claimed(:w, 50, at(1)), '{}', 'then nothing');
select is((select count(*) from sluice.queue where tenant = :'t' and attempts = 0), 16::bigint,
  'the others wait, no attempt charged');

select * from finish();
rollback;
