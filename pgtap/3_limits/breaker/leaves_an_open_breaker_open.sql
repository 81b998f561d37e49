begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select id_of(:'m') as id \gset
create function followed(p_model int, p_changed_at numeric, p_now numeric) returns text language sql
as $$
  update sluice.models set calls_changed_at = at(p_changed_at) where id = p_model;
  select sluice.probes_now(m, at(p_now)) from sluice.models m where m.id = p_model;
  select concat_ws(' ', b.state, b.successes, b.heeded_change = at(p_changed_at), b.probe_task)
  from sluice.breaker b where b.model = p_model $$;
select is(followed(:id, 1, 5), 'half_open 1 t', 'closed: half open, one success from closed');
update sluice.breaker set probe_task = 7, probe_fence = 1, successes = 0 where model = :id;
select is(followed(:id, 2, 5), 'half_open 0 t', 'half open: its probe was another call');
select sluice.move_breaker(:id, 'half_open', 'open', 'test', at(6));
select is(followed(:id, 3, 7), 'open 0 t', 'open: it stays so until its time has come');
select is((select probe_after from sluice.breaker where model = :id),
  at(7) + sluice.configuration_lag(), 'no call before all workers have heard');

select * from finish();
rollback;
