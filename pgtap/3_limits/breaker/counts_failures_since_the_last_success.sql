begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select id_of(:'m') as id \gset
update sluice.models set breaker_failures = 3 where name = :'m';
create function noted(variadic p_lives boolean[]) returns text language plpgsql
as $$
declare
  v_id int := id_of(format('model-%s-1', pg_backend_pid()));
begin
  perform sluice.note_model_health(v_id, p_lives,
    array_fill(1::bigint, array[cardinality(p_lives)]),
    array_fill(1, array[cardinality(p_lives)]), 'why', at(0));
  return coalesce((select state from sluice.breaker where model = v_id), 'closed');
end
$$;
select is(noted(false, false), 'closed', 'two');
select is(noted(true, false, false), 'closed', 'two again');
select is(noted(null, null), 'closed', 'what says nothing counts for nothing');
select is(noted(false), 'open', 'three in a row');
select is(noted(true), 'open', 'an open one hears nothing');

select * from finish();
rollback;
