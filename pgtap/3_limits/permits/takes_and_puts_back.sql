begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(rpm => 600) as m \gset
select sluice.move_bucket(quota_of(:'m'), 5, at(0));
select is(sluice.permits_now(quota_of(:'m'), at(0)), 2::bigint, 'five taken');
select sluice.move_bucket(quota_of(:'m'), -4, at(0));
select is(sluice.permits_now(quota_of(:'m'), at(0)), 6::bigint, 'four put back');
select sluice.move_bucket(quota_of(:'m'), -100, at(0));
select is(sluice.permits_now(quota_of(:'m'), at(0)), 7::bigint, 'never above the burst');

select * from finish();
rollback;
