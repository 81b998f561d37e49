-- sluice.submit_lines
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m, given_tenant(rpm => null) as t \gset
update sluice.tenants set max_unfinished = 2 where name = :'t';
select batch_over(given_file(array[lines_of_batch(:'m', 4)], :'t'), :'t') as b \gset
select is(advanced(:b, 'run'), 'submit', 'it is at its cap');
select is((select array_agg(line) from sluice.batch_line where batch = :b and task_id is not null),
  array[1, 2], 'half of them fit');
select is((select count(*) from sluice.batch_line where batch = :b and error_code is not null),
  0::bigint, 'none is refused for good');
select given_ends(:b) \g /dev/null
select is(advanced(:b, 'run', at(2)), 'run', 'then the others do');

select * from finish();
rollback;
