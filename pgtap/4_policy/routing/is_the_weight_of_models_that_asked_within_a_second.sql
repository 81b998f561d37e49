begin;
\ir ../../_helpers.sql
select plan(4);

create function counted(p_at numeric, p_now numeric) returns float8 language sql
as $$ select sluice.counted(row(-1, 1, 1, at(p_at), 0, 7, null)::sluice.meter, at(p_now)) $$;
select is(counted(1, 1.9), 7::float8, 'within a second');
select is(counted(1, 2), 0::float8, 'after it not at all');
select is(counted(9, 1), 0::float8, 'nor by a clock that was set back');
select is(sluice.counted(null, at(1)), 0::float8, 'nor who never asked');

select * from finish();
rollback;
