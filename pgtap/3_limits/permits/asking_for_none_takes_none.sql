begin;
\ir ../../_helpers.sql
select plan(1);

select given_model(rpm => 600) as m \gset
select sluice.take_permits(quota_of(:'m'), 0, at(0)) from generate_series(1, 20) \g /dev/null
select is(sluice.permits_now(model_row(:'m'), at(0)), 7, 'looking costs nothing');

select * from finish();
rollback;
