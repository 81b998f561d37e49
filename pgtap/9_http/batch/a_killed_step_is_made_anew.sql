begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select given_pages(25) \g /dev/null
-- killed: a step whose transaction does not commit.
create function killed(p_now timestamptz) returns void language plpgsql
as $$
begin
  perform sluice.advance_batches(p_now);
  raise sqlstate 'KILL9';
exception when sqlstate 'KILL9' then
  null;
end
$$;
-- stepped: makes all steps that are due, each after it was killed twice.
create function stepped(p_now timestamptz) returns void language plpgsql
as $$
begin
  for v_step in 1 .. 100 loop
    perform killed(p_now), killed(p_now);
    exit when sluice.advance_batches(p_now) > 0;
  end loop;
end
$$;
select batch_over(given_file(array(select lines_of_batch(:'m', 20, 'p' || p || '-')
  from generate_series(1, 3) p))) as b \gset
select stepped(at(1)) \g /dev/null
select is((select count(distinct task_id) from sluice.batch_line where batch = :b), 60::bigint,
  'a task for each line');
select is((select count(*) from sluice.task where batch_id = :b and created_at = at(1)), 60::bigint,
  'and no other');
select given_end((tasks_of_batch(:b))[n], 'failed', p_error => 'no')
from generate_series(5, 60, 10) n \g /dev/null
select given_ends(:b) \g /dev/null
select stepped(at(2)) \g /dev/null
select results_eq(format('select status, total, completed, failed from sluice.batch b, '
                         'sluice.batch_status(b) status where id = %s', :b),
  $$values ('completed', 60, 54, 6)$$, 'the counts are right');
select bag_eq(format('select custom_id, outcome from lines_of(%s)', :b),
  $$select format('p%s-%s', p, n),
    case when n % 10 = 5 then 'failed' else 'output' end from generate_series(1, 3) p,
      generate_series(1, 20) n$$,
  'each line is in one file once');

select * from finish();
rollback;
