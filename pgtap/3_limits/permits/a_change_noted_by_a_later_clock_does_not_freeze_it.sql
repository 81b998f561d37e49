-- sluice.bucket
begin;
\ir ../../_helpers.sql
select plan(1);

select given_model(rpm => 600) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 100) \g /dev/null
update sluice.models set limits_changed_at = at(86400) where name = :'m';
select claimed(:w, 100, at(1)) \g /dev/null
select isnt(claimed(:w, 100, at(2)), '{}',
  'limits changed, then the clock was set back by a day: the model works on');

select * from finish();
rollback;
