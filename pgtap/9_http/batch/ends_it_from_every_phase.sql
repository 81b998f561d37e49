begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(7);

select given_speaker() as m \gset
select given_batch(:'m', 3) as b1, given_batch(:'m', 3) as b2, given_batch(:'m', 3) as b3,
  given_batch(:'m', 3) as b4 \gset
select advanced(:b2, 'submit'), advanced(:b3, 'run'), advanced(:b4, 'run') \g /dev/null
select given_end(t) from unnest(tasks_of_batch(:b4)) t \g /dev/null
select advanced(:b4, 'write', at(2)) \g /dev/null
create temporary table b as select unnest(array[:b1, :b2, :b3, :b4]::bigint[]) as id;
select is(array(select (batch_row(id)).phase from b order by id),
  array['validate', 'submit', 'run', 'write'], 'wherever they are');
select is(array(select sluice.cancel_batch(id, null, false, at(3)) ->> 'status' from b order by id),
  array['cancelling', 'cancelling', 'cancelling', 'finalizing'],
    'but for the one that has all its answers they are cancelled');
select advanced(id, 'write', at(4)) from b \g /dev/null
select is(array(select distinct advanced(id, 'done', at(5)) from b), array['done'], 'and end');
select is(array(select sluice.show_batch(id, null, false) ->> 'status' from b order by id),
  array['cancelled', 'cancelled', 'cancelled', 'completed'], 'as that');
select results_eq('select id, custom_id, outcome from b, lines_of(id) order by 1, 2',
  format($$select id, 'c' || n, case when id = %s then 'output' else 'batch_cancelled' end from b,
    generate_series(1, 3) n order by 1, 2$$, :b4), 'each line is in a file once');
select is(array(select distinct cancelling_at from sluice.batch where ending = 'cancelled'
  and id in (select id from b)), array[at(3)], 'with the time');
select is_empty('select from sluice.queue where task_id in (select t from b, '
                'unnest(tasks_of_batch(id)) t)', 'no task waits any more');

select * from finish();
rollback;
