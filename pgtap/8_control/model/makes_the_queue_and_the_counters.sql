-- sluice.make_model, sluice.make_sequence
begin;
\ir ../../_helpers.sql
select plan(14);

select given_model() as m \gset
select id_of(:'m') as id \gset
select has_table('sluice', 'queue_' || :id, 'the queue has a table');
select is((select inhparent::regclass::text from pg_inherits
  where inhrelid = ('sluice.queue_' || :id)::regclass),
  'sluice.queue', 'which inherits from sluice.queue');
select ok(bool_and(c.relpersistence = 'u'), 'the counters are unlogged')
from pg_class c where c.relname in (select k || '_' || :id
  from unnest(array['bucket', 'tokens', 'learned', 'failures', 'load', 'claimed', 'ended',
    'ended_by_16', 'critical']) k);
select is(sluice.counter(k, :id), 0::bigint, k || ' begins at 0')
from unnest(array['bucket', 'tokens', 'failures', 'load', 'claimed', 'ended', 'ended_by_16']) k;
select is(sluice.counter('learned', :id), null, 'it has learned nothing yet');
select matches((select string_agg(indexdef, ' ') from pg_indexes where schemaname = 'sluice'
  and tablename = 'queue_' || :id),
  '[(]rank, [(][(]hashtextextended[(]tenant, .* >> 1[)][)], ready_at, task_id[)]',
  'the line is ordered by rank, tenant, ready_at, task_id');
select ok(reloptions @> array['autovacuum_vacuum_scale_factor=0', 'vacuum_truncate=off'],
  'a queue is vacuumed by count and never truncated')
from pg_class where oid = ('sluice.queue_' || :id)::regclass;
select is(pg_get_userbyid(relowner), 'sluice_owner',
  'sluice_owner owns it, whoever inserted the model')
from pg_class where oid = ('sluice.queue_' || :id)::regclass;

select * from finish();
rollback;
