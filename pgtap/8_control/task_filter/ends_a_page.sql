begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_tasks(:'m', 3) as ids \gset
select sluice.cancel(id, at(1)) from unnest(:'ids'::bigint[]) id \g /dev/null
select is(sluice.result_ids(null, false, 0, (:'ids'::bigint[])[3], 1000), :'ids', 'all');
select is(sluice.result_ids(null, false, (:'ids'::bigint[])[1], (:'ids'::bigint[])[2], 1000),
  (:'ids'::bigint[])[2:2], 'from one up to another');
select is(sluice.result_ids(null, false, (:'ids'::bigint[])[3], 9223372036854775807, 1000),
  '{}', 'none');
insert into sluice.result (task_id, created_at, finished_at, fence, attempts, status)
select n, at(0), at(0), 1, 1, 'cancelled'
from generate_series((:'ids'::bigint[])[3] + 1, (:'ids'::bigint[])[3] + 1000) n;
select is((sluice.result_ids(null, false, 0, 9223372036854775807, 1000))[1000:],
  array[(:'ids'::bigint[])[1] + 999], 'a thousand');
select is(array(select sluice.page_rows(jsonb_populate_record(null::sluice.task_filter, f), 1000)
  from unnest('{"{}", "{\"message\": \"x\"}"}'::jsonb[]) f), '{1000,50}',
  'messages are compared on smaller pages');
select is((sluice.next_page(sluice.task_filter_of('gone', null, null, null, null, null), true,
  '{"places": ["result"], "after": 0, "until": 9223372036854775807}', 2)).next ->> 'after',
  ((:'ids'::bigint[])[1] + 39)::text,
  'to find two, forty are looked at');

select * from finish();
rollback;
