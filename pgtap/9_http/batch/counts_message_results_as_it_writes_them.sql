-- sluice.write_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(5);

select given_speaker('anthropic-messages') as m \gset
select message_batch(:'m', 7) as a, message_batch(:'m', 7) as b \gset
-- Of both, six are submitted, and the last one is refused.
select advanced(:a, 'run'), advanced(:b, 'run') \g /dev/null
update sluice.batch_line set task_id = null, error_code = 'SL007', error = 'too long' where line = 7
  and batch in (:a, :b);
select given_end((tasks_of_batch(b))[1]),
  given_end((tasks_of_batch(b))[2], 'failed', p_http_status => 400),
  given_end((tasks_of_batch(b))[3], 'failed', p_http_status => 503),
    given_end((tasks_of_batch(b))[4], 'expired'),
  given_end((tasks_of_batch(b))[5], 'cancelled')
from unnest(array[:a, :b]) b \g /dev/null
select sluice.cancel_batch(:a, null, true, at(2)), advanced(:a, 'write', at(2)),
  advanced(:b, 'write', at(86400)) \g /dev/null
select advanced(:a, 'done', at(3)), advanced(:b, 'done', at(86401)) \g /dev/null
create function types_of(p_batch bigint) returns jsonb language sql
as $$
  select jsonb_object_agg(type, n) from (select l #>> '{result,type}' as type, count(*) as n
    from lines_in((batch_row(p_batch)).output_file) l group by 1) t
$$;
select is(types_of(:a), '{"succeeded": 1, "errored": 3, "canceled": 3}', 'one that was cancelled');
select is(types_of(:b), '{"succeeded": 1, "errored": 3, "expired": 3}', 'one whose time was over');
select is(sluice.show_batch(b, null, true)::jsonb -> 'request_counts',
  '{"processing": 0, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}'::jsonb
    || types_of(b), 'its counts agree')
from unnest(array[:a, :b]) b;
select is((batch_row(:a)).error_file, null, 'all is in one file');

select * from finish();
rollback;
