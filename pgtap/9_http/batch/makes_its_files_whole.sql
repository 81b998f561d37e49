begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select batch_over(given_file(array[lines_of_batch(:'m', 2)]), null, '24h',
  '{"output_expires_after": {"anchor": "created_at", "seconds": 3600}}') as b \gset
select advanced(:b, 'submit') \g /dev/null
update sluice.batch b set output_file = sluice.put_out(b, null, 'output', E'ü\n', at(2)),
  phase = 'write', position = 2 where id = :b;
select is(sluice.show_file((batch_row(:b)).output_file, null)::jsonb, null,
  'before, there is none');
select sluice.write_batch(batch_row(:b), at(3)) \g /dev/null
select results_eq(format('select bytes, lines, expires_at from sluice.file where id = %s',
  (batch_row(:b)).output_file), 'values (3::bigint, 1, at(3602))', 'for as long as was asked for');
select results_eq(format('select phase, ended_at, error_file from sluice.batch where id = %s', :b),
  $$values ('done', at(3), null::bigint)$$, 'it has ended');
select is_empty(format('select from sluice.batch_line where batch = %s', :b), 'its lines go');

select * from finish();
rollback;
