begin;
\ir ../../_helpers.sql
select plan(4);


select given_model() as m \gset
select id_of(:'m') as id \gset
insert into sluice.attempt (task_id, ended_at, fence, kind, error_code)
select -n, at(1), 1, 'returned', 'http_404' from generate_series(1, 100) n;
select sluice.note_model_refusals(:id, array[-1, -2, -1, -2],
  '{a,a,a,a}', 'http_404', 'why', at(2)) \g /dev/null
select is((select tasks from sluice.refusal where model = :id), array[-2, -1]::bigint[],
  'each task once');
select sluice.note_model_refusals(:id, array(select -n from generate_series(1, 100) n),
  array_fill('a'::text, '{100}'), 'http_404', 'why', at(2)) \g /dev/null
select is((model_row(:'m')).closed_reason, 'refused: HTTP 404', 'parked');
select is((model_row(:'m')).closed_detail, 'refused: why', 'and administrators hear why');
select is((select tasks from sluice.refusal where model = :id), '{}', 'and the count begins anew');

select * from finish();
rollback;
