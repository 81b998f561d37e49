begin;
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
create function until(p_model text, p_until timestamptz) returns timestamptz language sql
as $$ select sluice.close_until(p_model, p_until, 'r', 'd'); select closed_until from sluice.models
  where name = p_model $$;
select is(until(:'m', at(10)), at(10), 'the first time is written');
select is(until(:'m', at(10.9)), at(10), 'less than a second is not');
select is(until(:'m', at(11)), at(11), 'a second is');
select is(until(:'m', at(5)), at(5), 'also if it is earlier');
select is(until(:'m', 'infinity'), 'infinity', 'infinity parks it');
select is(until(:'m', at(5)), at(5), 'and a time unparks it');
select is(until(:'m', null), null, 'null opens it');
select sluice.close_until(:'m', at(1), repeat('x', 1000), repeat('y', 1000)) \g /dev/null
select is((select array[length(closed_reason), length(closed_detail)] from sluice.models
  where name = :'m'), '{500,500}', 'a reason is cut at 500 characters');

select * from finish();
rollback;
