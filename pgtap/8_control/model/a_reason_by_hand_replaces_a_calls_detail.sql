-- sluice.before_model_changes
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select sluice.close_until(:'m', 'infinity', 'billing: HTTP 402', 'billing: pay') \g /dev/null
update sluice.models set rpm = 60 where name = :'m';
select is((model_row(:'m')).closed_detail, 'billing: pay', 'another setting leaves it');
update sluice.models set closed_reason = 'maintenance' where name = :'m';
select is((model_row(:'m')).closed_detail, null, 'plain SQL');
select sluice.close_until(:'m', at(60), 'throttled: HTTP 429', 'HTTP 429: x') \g /dev/null
select sluice.close_model(:'m', 'infinity', 'holidays') \g /dev/null
select is((model_row(:'m')).closed_detail, null, 'close_model');
select sluice.close_until(:'m', at(60), 'throttled: HTTP 429', 'HTTP 429: x') \g /dev/null
select sluice.resume(:'m') \g /dev/null
select is((model_row(:'m')).closed_detail, null, 'resume');

select * from finish();
rollback;
