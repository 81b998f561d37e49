begin;
\ir ../../_helpers.sql
select plan(2);

select id_of(given_model()) as id \gset
select sluice.note_transition(:id, 'closed', 'open', repeat('x', 600) || n, at(n))
from generate_series(1, 1002) n \g /dev/null
select results_eq(format('select count(*), min(at), max(length(reason)) from sluice.breaker_event '
                         'where model = %s', :id),
  $$values (1000::bigint, at(3), 500)$$, 'the newest 1,000, and 500 characters of the reason');
select is((select state from sluice.breaker where model = :id), 'closed', 'it moves nothing');

select * from finish();
rollback;
