-- sluice.write_batch
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

select given_speaker() as m \gset
select given_pages(10) \g /dev/null
select batch_over(given_file(array[lines_of_batch(:'m', 10, 'a'), lines_of_batch(:'m', 3, 'b')],
  't'), 't') as b \gset
select advanced(:b, 'run') \g /dev/null
select given_end((tasks_of_batch(:b))[n], 'failed', p_error_code => 'own', p_error => 'x')
from generate_series(1, 13, 4) n \g /dev/null
select given_ends(:b), advanced(:b, 'write', at(2)) \g /dev/null
select sluice.advance_batch(batch_row(:b), at(2)) \g /dev/null
select is((batch_row(:b)).position, 10, 'a page');
select sluice.advance_batch(batch_row(:b), at(2)) \g /dev/null
select is((batch_row(:b)).phase, 'write', 'and another one');
select sluice.advance_batch(batch_row(:b), at(2)) \g /dev/null
select is((batch_row(:b)).phase, 'done', 'then it ends');
select is((select count(*) from lines_of(:b)), 13::bigint, 'as many lines as came in');
select bag_eq(format('select custom_id, outcome from lines_of(%s)', :b),
  $$select case when n > 10 then 'b' || n - 10 else 'a' || n end as id,
    case when n % 4 = 1 then 'own' else 'output' end as file
    from generate_series(1, 13) n$$, 'each once');
select results_eq(format('select filename, purpose, tenant, lines, expires_at from sluice.file '
                         'where id in (%s, %s) order by filename',
    (batch_row(:b)).output_file, (batch_row(:b)).error_file),
  format($$values ('batch_%1$s_errors.jsonl', 'batch_output', 't', 4, at(2) + interval '30 days'),
    ('batch_%1$s_output.jsonl', 'batch_output', 't', 9, at(2) + interval '30 days')$$, :b),
      'the files say what they are');

select * from finish();
rollback;
