begin;
\ir ../../_helpers.sql
select plan(9);

-- As a tenant of its own: other tests' tasks are not its.
select given_tenant('sluice_submitter') as a \gset
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select array_agg(sluice.submit('x', :'m', tenant => :'a', p_now => at(n / 10.0), max_attempts => 1)
  order by n) as ids
from generate_series(1, 5) n \gset
select claimed(:w, 2) \g /dev/null
select completed(:w, told((:'ids'::bigint[])[1], 'solved')),
  completed(:w, told((:'ids'::bigint[])[2], 'failed')) \g /dev/null
select sluice.cancel((:'ids'::bigint[])[5]) \g /dev/null
select claimed(:w, 1) \g /dev/null
select sluice.submit('x', :'m', tenant => :'a', run_at => at(1000000)) as later \gset
select sluice.wake(at(5)) \g /dev/null
set local role :"a";
select is(array(select sluice.newest_ids(status)), array(select (:'ids'::bigint[])[n]), status)
from (values ('solved', 1), ('failed', 2), ('processing', 3), ('cancelled', 5)) v(status, n);
select is(array(select sluice.newest_ids('unsolved')), array[:later]::bigint[], 'unsolved');
select is(array(select sluice.newest_ids('expired')), '{}'::bigint[], 'none is expired');
select is(array(select sluice.newest_ids()),
  array(select id from sluice.tasks order by id desc), 'all');
select is(array(select sluice.newest_ids(null, 2)),
  array(select id from sluice.tasks order by id desc limit 2), 'the newest two');
reset role;
set local role :"a";
select is(array(select sluice.newest_ids('queued')), array[(:'ids'::bigint[])[4]], 'queued');

select * from finish();
rollback;
