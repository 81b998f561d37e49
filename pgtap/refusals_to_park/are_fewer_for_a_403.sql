begin;
\ir ../_helpers.sql
select plan(3);


select is(sluice.refusals_to_park(s), b, s::text) from (values (403, 2), (404, 5), (405, 5)) v(s, b);

select * from finish();
rollback;
