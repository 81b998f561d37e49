-- sluice.submit
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
update sluice.models set max_unfinished = 10 where name = :'m';
select count(given_task(:'m')) from generate_series(1, 9) \g /dev/null
select forget_counter('load', :'m') \g /dev/null
select lives_ok(format('select given_task(%L)', :'m'), 'a gauge that is lost is counted, not full');
select is((error_of(format('select given_task(%L)', :'m'))).code, 'SL003', 'and not empty');

select * from finish();
rollback;
