-- sluice.lock_late
-- The attack: a line that was nearly empty when it was analyzed, then a flood that expires: each
-- row was compared with each wanted one, 9 s a call at 200,000.
begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select format('create or replace function sluice.all_lines() returns int[] language sql as '
  '$$ select array[%s] $$', id_of(:'m')) as one_line \gset
:one_line;
select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'x', 'model', :'m'::text,
  'tenant', 'flood', 'deadline', at(5))), at(1))
from generate_series(1, 50000) n group by n % 5 \g /dev/null
select given_task(:'m', tenant => 'small', deadline => at(6), p_now => at(1)) as small \gset
update pg_class set reltuples = 1, relpages = pg_relation_size(oid) / 8192
where oid = to_regclass('sluice.queue_' || id_of(:'m'));
select clock_timestamp() as started \gset
select is(sluice.expire_due(at(7)), 1000, 'a round ends as many as it may');
select ok(clock_timestamp() - :'started'::timestamptz < interval '0.8 s', 'soon');
select is(places(:small), 'expired', 'those of another among them');

select * from finish();
rollback;
