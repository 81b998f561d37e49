begin;
\ir ../_helpers.sql
select plan(6);

select given_model() as m \gset
select 'backlog_' || id_of(:'m') as line \gset
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, tenant)
select nextval('sluice.task_id'), at(n), id_of(:'m'), 1, 0, r, 0, true, t
from unnest(array[-1, 4]) r, unnest(array['a', 'b']) t, generate_series(1, 2) n;
select least(sluice.tenant_key('a'), sluice.tenant_key('b')) as low, greatest(sluice.tenant_key('a'), sluice.tenant_key('b')) as high \gset
create function step(p_rank int, p_tenant bigint, p_end_rank int, p_end_tenant bigint) returns text language sql
as $$ select format('%s %s %s', h.rank, h.tenant, extract(second from h.ready_at)::int)
  from sluice.next_lane('backlog_' || (select max(model) from sluice.backlog), p_rank::smallint, p_tenant, p_end_rank::smallint,
  p_end_tenant) h
  where h.line is not null $$;
select -4611686018427387904 as zero \gset
select is(step(-100, :zero, 101, :zero), format('-1 %s 1', :low), 'the first row of the first lane');
select is(step(-1, :low + 1, 101, :zero), format('-1 %s 1', :high), 'the next tenant of this rank');
select is(step(-1, :high + 1, 101, :zero), format('4 %s 1', :low), 'the next rank');
select is(step(-1, :high + 1, 4, :low), null, 'none before the end');
select is(step(-1, :high + 1, 4, :low + 1), format('4 %s 1', :low), 'but for one just before it');
select is(step(4, :low + 1, 4, :high), null, 'within one rank, too');

select * from finish();
rollback;
