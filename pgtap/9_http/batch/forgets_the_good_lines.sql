begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select batch_over(given_file(array[lines_of_batch(:'m', 2), 'bad'])) as b \gset
select sluice.advance_batch(batch_row(:b), at(1)) \g /dev/null
select is((select count(*) from sluice.batch_line where batch = :b), 2::bigint, 'they were there');
select is((sluice.fail_batch(batch_row(:b), '[{"code": "x"}]', at(2))).ending, 'failed',
  'it fails');
select is((select count(*) from sluice.batch_line where batch = :b), 0::bigint, 'they are gone');
select results_eq(format('select phase, ended_at, total, errors from sluice.batch where id = %s',
  :b), $$values ('done', at(2), 0, '[{"code": "x"}]'::jsonb)$$, 'and it says why');

select * from finish();
rollback;
