begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select is_empty(format('select from sluice.ready_line where line = %s', id_of(:'m')),
  'a new model is idle');
select sluice.notify_ready(id_of(:'m')), sluice.notify_ready(id_of(:'m')) \g /dev/null
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 1::bigint,
  'notified twice, noted once');

select * from finish();
rollback;
