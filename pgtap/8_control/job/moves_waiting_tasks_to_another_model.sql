begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(14);

select given_model() as a \gset
select given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a']) as w \gset
select given_task(:'a', p_now => at(0)) as leased \gset
select claimed(:w, 1) \g /dev/null
select given_task(:'a', p_now => at(1)) as first \gset
select given_task(:'b', p_now => at(2)) as second \gset
select given_task(:'a', p_now => at(3), run_at => at(1000)) as later \gset
select given_mark(:'b', at(50));
select sluice.start_job('move', jsonb_build_object('model', :'a'), target => :'b', p_now => at(60))
  as job \gset
select is((job_of(:job)).matched, 2::bigint, 'those that wait are meant');
select is((stepped(:job)).done, 2::bigint, 'and moved');
select is(queued(:'b'), array[:first, :second]::bigint[], 'with their age');
select cmp_ok(marked(:'b'), '<=', at(1), 'below no mark');
select is(places(:leased), 'lease', 'a call under way stays');
select is((select model from sluice.task where id = :first), id_of(:'b'), 'it has another model');
select is((select model from sluice.later where task_id = :later), id_of(:'b'),
  'also one whose time is to come');
select is(sluice.cancel(:later), 'cancelled', 'and is found there');
select sluice.undo_job(:job, at(101)) \g /dev/null
select is((stepped(:job)).undone, 1::bigint, 'what still waits goes back');
select is(queued(:'a'), array[:first]::bigint[], 'to its model');
select is(queued(:'b'), array[:second]::bigint[], 'and the others stay');
select sluice.start_job('move', jsonb_build_object('model', :'a'), target => :'r', p_now => at(200))
  as job \gset
select is((stepped(:job)).done, 1::bigint, 'it goes to a route');
select is(queued(:'r'), array[:first]::bigint[], 'into its line');
select is((error_of(format($$select sluice.start_job('move', '{"model": "%s"}',
  target => 'nonsense')$$, :'a'))).code, 'SL001', 'a target must exist');

select * from finish();
rollback;
