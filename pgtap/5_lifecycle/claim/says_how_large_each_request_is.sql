begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m', prompt => 'prompt', p_now => at(0)) as small \gset
select given_task(:'m', prompt => repeat('ä', 100000), p_now => at(0)) as large \gset
select results_eq(format('select task_id, request_bytes, prompt is null from sluice.claim(%s, '
                         'null, 2, at(1)) order by 1', :w),
  format('values (%s::bigint, 6, false), (%s::bigint, 200000, true)', :small, :large),
    'in bytes, with its body or without');
select results_eq(format('select request_bytes, octet_length(prompt) '
                         'from sluice.requests(%s, array[%s])', :w, :large),
  'values (200000, 200000)', 'and what is asked for later');

select * from finish();
rollback;
