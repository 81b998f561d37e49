-- sluice.retry_later
-- Of a route of two models one is not there: a task that was given to it waited for that model's
-- backoff, up to 14 s, beside the other one, which had nothing to do.
begin;
\ir ../../_helpers.sql
select plan(3);

-- given_unsent: a task for p_target that could not be sent just now; returns when it is due.
create function given_unsent(p_target text) returns timestamptz language plpgsql
as $$
declare
  v_task bigint := given_task(p_target);
  v_worker bigint := given_worker(array['dead', 'well']);
begin
  perform claimed(v_worker, 5);
  perform sluice.complete(v_worker, array[unsent(v_task)], at(2));
  return (select l.ready_at from sluice.later l where l.task_id = v_task);
end
$$;

insert into sluice.models (name, api, url, backoff_base, backoff_max)
select n, 'openai-chat', 'http://127.0.0.1:1', '1 day', '1 day'
from unnest('{dead, well}'::text[]) n;
insert into sluice.routes (route, model) values ('both', 'dead'), ('both', 'well');
select cmp_ok(given_unsent('both'), '<=', at(2.1),
  'a task goes on soon where another model is open');
select cmp_ok(given_unsent('dead'), '>', at(10), 'not where there is only one');
select sluice.pause('well') \g /dev/null
select cmp_ok(given_unsent('both'), '>', at(10), 'nor while the other one is paused');

select * from finish();
rollback;
