begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(7);

select given_speaker() as m \gset
select given_batch(:'m', 1, 't') as b \gset
select is(sluice.cancel_batch(:b, 'u', false, at(1))::jsonb, null, 'another one''s is not there');
select is(sluice.cancel_batch(:b, 't', true, at(1))::jsonb, null, 'nor one of another api');
select is((batch_row(:b)).ending, null, 'nothing has happened to it');
select is(sluice.cancel_batch(:b, 't', false, at(1)) ->> 'status', 'cancelling',
  'its owner cancels it');
select is(sluice.cancel_batch(:b, 't', false, at(2))::jsonb -> 'cancelling_at',
  to_jsonb(sluice.unix_time(at(1))), 'once');
select advanced(:b, 'done', at(3)) \g /dev/null
select advanced(:b, 'done', at(4)) \g /dev/null
select throws_ok(format('select sluice.cancel_batch(%s, ''t'', false)', :b), 'SL004',
  'the batch is cancelled already', 'then it has ended');
select batch_over(given_file(array['x'])) as failed \gset
select advanced(:failed, 'done', at(3)) \g /dev/null
select throws_ok(format('select sluice.cancel_batch(%s, null, false)', :failed), 'SL004',
  'the batch is failed already', 'so has this');

select * from finish();
rollback;
