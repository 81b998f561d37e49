begin;
\ir ../../_helpers.sql
select plan(4);

select results_eq($$select sluice.done_payloads(array[3, 1, 2])$$, $$values ('3,1,2')$$,
  'in the order given');
select results_eq($$select length(p)
  from sluice.done_payloads(array(select 9223372036854775807 from generate_series(1, 801))) p$$,
  'values (7999), (7999), (19)', 'the longest are below 8,000 bytes');
select is((select string_agg(p, ',')
  from sluice.done_payloads(array(select generate_series(1::bigint, 1000))) p),
  (select string_agg(i::text, ',') from generate_series(1, 1000) i), 'none is lost');
select is_empty($$select sluice.done_payloads('{}')$$, 'none of none');

select * from finish();
rollback;
