-- sluice.advance_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(7);

select given_speaker() as m \gset
select given_batch(:'m', 3) as b1, given_batch(:'m', 3) as b2, given_batch(:'m', 3) as b3,
  given_batch(:'m', 3) as b4 \gset
create temporary table b as select unnest(array[:b1, :b2, :b3, :b4]::bigint[]) as id;
select advanced(:b1, 'submit'), advanced(:b2, 'run'), advanced(:b3, 'run'),
  advanced(:b4, 'run') \g /dev/null
select given_end((tasks_of_batch(:b3))[1]),
  given_end((tasks_of_batch(:b3))[2], 'failed', p_error_code => 'own') \g /dev/null
select given_ends(:b4), advanced(:b4, 'write', at(2)) \g /dev/null
select advanced(id, 'done', at(86399)) from b where id <> :b4 \g /dev/null
select is(array(select (batch_row(id)).phase from b order by id),
  array['run', 'run', 'run', 'write'], 'not before');
select is(array(select distinct advanced(id, 'write', at(86400)) from b order by 1),
  array['stop', 'write'], 'then');
select is(array(select distinct advanced(id, 'done', at(86401)) from b), array['done'], 'it stops');
select is(array(select sluice.batch_status(batch_row(id)) from b order by id),
  array['expired', 'expired', 'expired', 'completed'], 'and has expired, unless all was there');
select results_eq('select custom_id, outcome, count(*)::int from b, lines_of(id) where id < ' || :b4
  || ' group by 1, 2 order by 1, 2',
  $$values ('c1', 'batch_expired', 2), ('c1', 'output', 1), ('c2', 'batch_expired', 2),
    ('c2', 'own', 1), ('c3', 'batch_expired', 3)$$,
  'what had ended keeps its end');
select is((select (total, completed, failed)::text from sluice.batch where id = :b3), '(3,1,1)',
  'the rest is counted as neither');
select is_empty('select from sluice.queue where task_id in (select id from sluice.task '
                'where batch_id in (select id from b))',
  'no task waits any more');

select * from finish();
rollback;
