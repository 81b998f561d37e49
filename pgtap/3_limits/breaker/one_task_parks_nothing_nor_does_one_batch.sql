-- sluice.note_health
begin;
\ir ../../_helpers.sql
select plan(3);


select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 10) as ids \gset
select claimed(:w, 10) \g /dev/null
-- A call for all of them: the first says why.
select sluice.complete(:w, array(select told(id, 'returned', http_status => 403, error => 'no',
    error_code => case n when 1 then 'http_403' else 'batch_failed' end)
  from unnest(:'ids'::bigint[]) with ordinality x(id, n)), at(2)) \g /dev/null
select is((model_row(:'m')).closed_until, null, 'a call for ten tasks is one refusal');
select is(cardinality(claimed(:w, 10, at(3))), 10, 'all are queued again, uncharged');
select sluice.complete(:w, array[refused((:'ids'::bigint[])[1], 2, 403),
  refused((:'ids'::bigint[])[1], 2, 403)], at(4)) \g /dev/null
select is((model_row(:'m')).closed_until, null, 'one task is one, however often it is told');

select * from finish();
rollback;
