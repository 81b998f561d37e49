-- sluice.bucket
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(rpm => 600) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 100) \g /dev/null
update sluice.models set rpm = 1200 where name = :'m';
update sluice.models set limits_changed_at = at(10) where name = :'m';

select is(sluice.permits_now(model_row(:'m'), at(10)), 0, 'empty at the moment of the change');
select is(claimed(:w, 100, at(10)), '{}', 'so nothing is claimed then');
select is(cardinality(claimed(:w, 100, at(10.06))), 1,
  'one interval of the new limit later there is one');
select is(cardinality(claimed(:w, 100, at(70))), 13, 'and a minute later the new burst');

select * from finish();
rollback;
