begin;
\ir ../../_helpers.sql
select plan(4);


select given_model() as m \gset
select id_of(:'m') as id \gset
create function followed(p_model int) returns text language sql
as $$ select concat_ws(' ', b.state, b.successes, b.heeded_change = m.calls_changed_at,
  b.probe_task)
      from sluice.models m, sluice.follow_change(m,
        (select b from sluice.breaker b where b.model = m.id), at(5)) b
      where m.id = p_model $$;
update sluice.models set calls_changed_at = at(1) where name = :'m';
select is(followed(:id), 'half_open 1 t', 'closed: half open, one success from closed');
update sluice.breaker set probe_task = 7, probe_fence = 1, successes = 0 where model = :id;
select is(followed(:id), 'half_open 0 t', 'half open: its probe was another call');
select sluice.move_breaker(:id, 'half_open', 'open', 'test', at(6));
select is(followed(:id), 'open 0 t', 'open: it stays so until its time has come');
select is((select probe_after from sluice.breaker where model = :id),
  at(5) + sluice.configuration_lag(), 'no call before all workers have heard');

select * from finish();
rollback;
