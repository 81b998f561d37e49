begin;
\ir ../_helpers.sql
select plan(6);

select is(sluice.queue_target(model_row(given_model(rpm => rpm, max_queue => max_queue)), at(0)), target,
  format('rpm %s, max_queue %s: %s rows', rpm, max_queue, target))
from (values (20, 1000, 64), (600, 1000, 100), (6000, 500, 500), (60, 10, 10), (null, 1000, 64), (null, 10, 10))
  v(rpm, max_queue, target);

select * from finish();
rollback;
