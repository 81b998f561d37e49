begin;
\set alone
\ir ../../_helpers.sql
select plan(26);

select given_model() as m, given_model() as other \gset
select given_route(:'m', :'other') as r \gset
insert into sluice.payload_schema (target, version)
select t, v from unnest(array[:'m', :'r']) t cross join unnest('{1,2}'::text[]) v;

-- given_version: a task of a version; versioned: a worker of some.
create function given_version(p_model text, p_version text, p_now timestamptz default at(0),
  p_tenant text default 'default')
returns bigint language sql
as $$ select sluice.submit('x', p_model, schema_version => p_version, tenant => p_tenant,
  p_now => p_now) $$;
create function versioned(variadic p_versions text[]) returns bigint language sql
as $$ select sluice.serve_versions(given_worker(), p_versions) $$;

select given_version(:'m', null) as t0, given_version(:'m', '1') as t1,
  given_version(:'m', '2') as t2, given_version(:'r', '2') as r2 \gset
select versioned('1') as w1, versioned('3') as w3, versioned('2', '1') as w12 \gset

select is(array[(sluice.task(:t0)).schema_version, (sluice.task(:t1)).schema_version], '{NULL,1}',
  'it is stored, and shown');
select is((select array_agg(schema_version order by id) from sluice.tasks
  where id in (:t0, :t1, :t2, :r2)), '{NULL,1,2,2}', 'in lists, too');
select is((select schema_versions from sluice.workers where id = :w12), '{1,2}',
  'so are workers''');
select is((select array_agg(sluice.serves_version(w, v)) from (values (:w1, '1'), (:w1, '2'),
    (:w1, null), (null, '2'), (:w12, '2')) x(w, v)), '{t,f,t,t,t}', 'who serves what');

-- waiting, for people
select matches(sluice.explain(:t2, at(1)), '\(schema version 2\): first in its queue',
  'explain names it');
select is(sluice.unserved_versions(:'m', at(1)), null, 'all are served');
update sluice.worker set dead_at = at(0) where id = :w12;
select matches(sluice.explain(:t2, at(1)), 'no live worker serves schema version 2',
  'no longer, says explain');
select matches(sluice.explain(:r2, at(1)), 'no live worker serves schema version 2',
  'of a route''s, too');
select is(sluice.unserved_versions(:'m', at(1)), '{2}', 'and queues');
select is((select unserved_versions from sluice.queues where model = :'m'), '{2}',
  'in a column');
select is((select depth from sluice.queues where model = :'m'), 3, 'which counts them');
select is(sluice.own_unfinished(id_of(:'m')), 3::bigint, 'as bounds do');
select is(sluice.lines_of_model(id_of(:'m')) @> array[id_of(:'m')], true, 'in lines of the model');

-- idle workers
select is((sluice.next_work(array[id_of(:'m')], at(1), :w3)).work, true, 'there is work for all');
select is(claimed(:w3, 10, at(1)), array[:t0]::bigint[], 'that is without a version');
select is((sluice.next_work(array[id_of(:'m'), id_of(:'other')], at(1), :w3)).work, false,
  'and then none for who serves no version that waits');
select is(sluice.unfinished(:w3), true, 'but its own call');
select is((sluice.next_work(array[id_of(:'m')], at(1), :w1)).work, true, 'while others have some');
select isnt((select sluice.watcher_lock_of(w) from sluice.worker w where id = :w3),
  (select sluice.watcher_lock_of(w) from sluice.worker w where id = :w1),
  'so each kind of workers has its watcher');

-- calls
select is(claimed(:w1, 10, at(1)), array[:t1]::bigint[], 'a worker gets its versions alone');
select is((select schema_version from sluice.requests(:w1)), '1', 'and is told which it is');
select is(completed(:w1, told(:t1, 'retry', error => 'busy')), true, 'one that failed');
select sluice.wake(at(900)) \g /dev/null
select is(claimed(:w3, 10, at(900)), '{}', 'waits for its version again');
select is(claimed(:w1, 10, at(900)), array[:t1]::bigint[], 'and is given to who serves it');
select sluice.unregister_worker(:w1, at(901)) \g /dev/null
select is((select model from sluice.queue where task_id = :t1), id_of(:'m'),
  'as one that was handed back does');
select is((select array_agg(t order by t) from unnest(claimed(given_worker(), 10, at(902))) t),
  (select array_agg(t order by t) from unnest(array[:t1, :t2, :r2]::bigint[]) t),
  'who named no version serves all');

select * from finish();
rollback;
