begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_task(:'m') as waits \gset
select given_task(:'m') as ends \gset
select sluice.cancel(:ends, at(1));
select results_eq(format('select sluice.ended(array[%s, %s, 1, null]::bigint[])', :waits, :ends),
  format('values (%s::bigint)', :ends), 'those alone');
select is_empty($$select sluice.ended('{}')$$, 'none of none');

select * from finish();
rollback;
