begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as a \gset
select given_model() as b \gset
select given_worker(array[:'a', :'b']) as w \gset
select given_task(:'a') as cold \gset
select given_task(:'a', priority => 1) as warm \gset
select given_task(:'a', priority => 9) as hot \gset
select given_task(:'b') as other \gset
create function urgent(p_worker bigint, p_models text[], p_max int,
  p_now timestamptz) returns bigint[] language sql
as $$ select array(select task_id from sluice.claim_urgent(p_worker, p_models, p_max, p_now)) $$;
select is(urgent(:w, array[:'b'], 5, at(1)), '{}', 'of the models named');
select is(urgent(:w, null, 1, at(1)), array[:hot]::bigint[], 'the first');
select is(urgent(:w, null, 5, at(1)), array[:warm]::bigint[], 'then the next, and no other');
select is(urgent(:w, null, 5, at(1)), '{}', 'there are no more');
select is(places(:hot) || ', ' || places(:cold), 'lease, queue', 'it is leased');
select is(claimed(:w, 5, at(1)) @> array[:cold, :other]::bigint[], true,
  'the others are there for a claim');

select * from finish();
rollback;
