begin;
\ir ../_helpers.sql
select plan(3);

create function leases(variadic p_ids bigint[]) returns sluice.lease[] language sql
as $$ select array(select row(i, 1, at(0), at(0), null, 0, 1, 1, 1, 0, 0, 'default', 1, 1)::sluice.lease from unnest(p_ids) i) $$;
select is(sluice.least_and_greatest(leases(5)), '{5,5}', 'of one');
select is(sluice.least_and_greatest(leases(7, 2, 5)), '{2,7}', 'of several');
select is(sluice.least_and_greatest('{}'), '{null,null}', 'of none');

select * from finish();
rollback;
