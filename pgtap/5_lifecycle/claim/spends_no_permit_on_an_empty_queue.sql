-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(1);

select given_model(rpm => 600) as m \gset
select given_worker() as w \gset
select claimed(:w, 100, at(1)) from generate_series(1, 20) \g /dev/null
select is(sluice.permits_now(model_row(:'m'), at(1)), 7, 'the bucket is as full as before');

select * from finish();
rollback;
