begin;
\ir ../../_helpers.sql
select plan(5);

create function leases(variadic p_ids bigint[]) returns sluice.lease[] language sql
as $$ select array(select row(i, 1, at(0), at(0), null, 0, 1, 1, 1, 0, 0, 'default', 1,
  1)::sluice.lease from unnest(p_ids) i) $$;
-- A body of 1 byte counts as 201.
select is(sluice.answer_bounds(leases(5), 201), '{5,5,1}', 'of one');
select is(sluice.answer_bounds(leases(5), 200), '{5,5,0}', 'whose body is too large');
select is(sluice.answer_bounds(leases(7, 2, 5), 999), '{2,7,3}', 'of several');
select is(sluice.answer_bounds(leases(7, 2, 5), 602), '{2,7,2}',
  'in their order, as far as they fit');
select is(sluice.answer_bounds('{}', 602), '{null,null,0}', 'of none');

select * from finish();
rollback;
