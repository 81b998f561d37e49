-- sluice.after_model_changes
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_tasks(:'m', 10) \g /dev/null
update sluice.models set max_unfinished = 10 where name = :'m';
select is((error_of(format('select given_task(%L)', :'m'))).code, 'SL003',
  'its gauge, which went by ids, tells nothing');
update sluice.models set max_unfinished = null where name = :'m';
select is(sluice.counter('load', id_of(:'m')), sluice.gauge_unknown(),
  'nor does what was drawn, now that it goes by ids');

select * from finish();
rollback;
