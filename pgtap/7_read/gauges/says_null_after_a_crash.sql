begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select forget_counter('claimed', :'m'), forget_counter('ended', :'m');
select results_eq(format('select began, ended from sluice.call_counts() where model = %L', :'m'),
  'values (null::bigint, null::bigint)', 'unknown, not zero');

select * from finish();
rollback;
