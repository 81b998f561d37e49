begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker() as w \gset
select given_worker() as other \gset
select given_tasks(:'m', 3) \g /dev/null
select (claimed(:w, 2))[1] as mine \gset
select (claimed(:other, 1))[1] as others \gset
select is((select count(*) from sluice.requests(:w)), 2::bigint,
  'all its leases: the re-read after an unknown COMMIT');
select results_eq(format('select task_id, fence, prompt is not null from sluice.requests(%s, '
                         'array[%s, %s])', :w, :mine, :others),
  format('values (%s::bigint, 1, true)', :mine), 'of the ones it names only its own');
select is_empty('select * from sluice.requests(1)', 'an unknown worker holds nothing');

select * from finish();
rollback;
