begin;
\ir ../../_helpers.sql
select plan(4);

select array_agg(id_of(given_model())) as ids from generate_series(1, 20) \gset
create function first_of(p_ids int[], p_max int) returns int language sql as $$ select first
  from sluice.claim_order(p_ids, p_max) $$;
select is(first_of(:'ids', 1), 1, 'of models that only a route feeds one for one task');
select is(first_of(:'ids', 100), 13, 'or so many that each may have eight');
select sluice.notify_ready((:'ids'::int[])[n]) from generate_series(16, 20) n \g /dev/null
select is(first_of(:'ids', 1), 6, 'and all that have a line of their own');
select is((select ids[7:] <@ (:'ids'::int[])[:15] and cardinality(ids) = 20
  from sluice.claim_order(:'ids', 1)), true, 'then the others, for what those leave');

select * from finish();
rollback;
