-- sluice.count_ended
begin;
\ir ../../_helpers.sql
select plan(4);

-- The opening lock that the transition to half open shares would hide another: they are written
-- down instead.
create temp table opened (model int);
grant insert on opened to public;
create or replace function sluice.notify_opened(p_model int)
returns void language sql as 'insert into opened values (p_model)';
create function times_opened(p_model text) returns bigint
  language sql as 'select count(*) from opened where model = id_of(p_model)';
create function prober(p_attempts int, out model text, out worker bigint, out task bigint)
  language plpgsql as $$
begin
  model := given_model();
  worker := given_worker(array[model]);
  task := given_task(model, max_attempts => p_attempts);
  perform sluice.move_breaker(id_of(model), 'closed', 'open', 'x', at(0));
  update sluice.models set breaker_open = '1 s' where name = model;
  perform claimed(worker, 1, at(2));
end
$$;
select model as m, worker as w, task as t from prober(1) \gset
delete from opened;
select is((select probe_task from sluice.breaker where model = id_of(:'m')), :t::bigint,
  'a worker has the probe');
update sluice.worker set dead_at = at(3) where id = :w;
select sluice.recover(null, at(20)) \g /dev/null
select is(places(:t), 'failed', 'it dies with it, and its task has no attempt left');
select is(times_opened(:'m'), 1::bigint, 'the next probe is announced');
select model as m, worker as w, task as t from prober(1) \gset
select sluice.cancel(:t) \g /dev/null
delete from opened;
select sluice.unregister_worker(:w, at(3)) \g /dev/null
select is(times_opened(:'m'), 1::bigint, 'also when a cancelled probe leaves with its worker');

select * from finish();
rollback;
