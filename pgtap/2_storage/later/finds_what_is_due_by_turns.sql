-- sluice.later_tenants, sluice.due_by_turns
begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
create function later(p_model text, p_ids int[], p_tenant text) returns void language sql
as $$ insert
  into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
      select n, at(n), id_of(p_model), 1, 0, 0, 0, p_tenant from unnest(p_ids) n $$;
create function turns(p_max int) returns bigint[] language sql
as $$ select array_agg(l.task_id order by d.place)
  from unnest(sluice.due_by_turns(at(2), p_max, at(50))) with ordinality d(at, place)
  join sluice.later l on l.ctid = d.at $$;
create function sorted(p_ids bigint[]) returns bigint[] language sql
as $$ select array_agg(i order by i) from unnest(p_ids) i $$;
select later(:'m', '{1,2,3,4,5,6}', 'a'), later(:'m', '{7,8}', 'b'),
  later(:'m', '{60}', 'c') \g /dev/null
select is((select array_agg(t order by t) from unnest(sluice.later_tenants(10)) t),
  (select array_agg(sluice.tenant_key(t) order by sluice.tenant_key(t))
    from unnest('{a,b,c}'::text[]) t), 'all tenants, each once');
select is(cardinality(sluice.later_tenants(2)), 2, 'no more than asked for');
select is((select count(distinct (sluice.later_tenants(1))[1]) from generate_series(1, 200)),
  3::bigint, 'from anywhere on');
select is(sorted(turns(4)), '{2,3,7,8}', 'of each that has some as many, from the first on');
select is(sorted((turns(4))[:2]), '{2,7}', 'first the first of each');
select is(sorted(turns(1)), '{2,7}', 'one of each at least');

select * from finish();
rollback;
