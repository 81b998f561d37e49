begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m', priority => 0) as middle \gset
select given_task(:'m', priority => -100) as last \gset
select given_task(:'m', priority => 100) as first \gset

select is(claimed(:w, 2), array[:first, :middle]::bigint[],
  'one claim goes from high to low priority');
select is(claimed(:w, 2), array[:last]::bigint[], 'the lowest comes last');

select * from finish();
rollback;
