begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_worker() as w \gset
create function state(p_id bigint) returns text language sql
as $$ select concat_ws(' ', status,
  model = (select name from sluice.models m join sluice.task t on t.model = m.id where t.id = p_id),
        attempts) from sluice.task(p_id) $$;
select given_task(:'m') as t \gset
select given_task(:'m', run_at => at(50)) as u \gset
select is(state(:u), 'unsolved t 0', 'before its time it is unsolved');
select is(state(:t), 'queued t 0', 'in the queue it is queued');
select claimed(:w, 1) \g /dev/null
select is(state(:t), 'processing t 1', 'leased it is processing: its first attempt');
select completed(:w, told(:t, 'solved', answer => 'yes')) \g /dev/null
select is(state(:t), 'solved t 1', 'and then solved');
select results_eq(format('select answer, prompt, created_at, queued_at, started_at, finished_at '
                         'from sluice.task(%s)', :t),
  $$values ('yes'::text, 'question'::text, at(0), at(0), at(1), at(2))$$,
    'with its times and texts');
select is_empty('select * from sluice.task(-1)', 'an unknown task is no row');

select * from finish();
rollback;
