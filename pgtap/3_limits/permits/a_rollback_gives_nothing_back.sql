begin;
\ir ../../_helpers.sql
select plan(1);

select given_model(rpm => 600) as m \gset
savepoint before;
select sluice.take_permits(quota_of(:'m'), 7, at(0)) \g /dev/null
rollback to before;
select is(sluice.permits_now(model_row(:'m'), at(0)), 0, 'the calls may have been sent');

select * from finish();
rollback;
