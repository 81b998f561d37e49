-- sluice.faded
begin;
\ir ../../_helpers.sql
select plan(4);

create function faded(p_after numeric) returns numeric[] language sql
as $$ select array[round(f.seconds::numeric, 2), round(f.tokens::numeric, 2),
    round(f.slowest::numeric, 2)]
  from sluice.faded(row(1, 1, at(0), 100, 1000, 10, 50)::sluice.speed, at(p_after)) f $$;
select is(faded(0), '{100.00,1000.00,50.00}', 'at once nothing');
select is(faded(5), '{60.65,606.53,46.00}', 'sums by half in 7 s, the slowest call in 42 s');
select is((faded(3600))[1:2], '{36.79,367.88}', 'no more at a time: a pause forgets little');
create function faded_for_hours() returns float8 language plpgsql
as $$
declare
  v sluice.speed := row(1, 1, at(0), 1, 1, 1, 1);
begin
  for n in 1 .. 2000 loop
    v := sluice.faded(v, at(n * 3600));
    v.at := at(n * 3600);
  end loop;
  return v.tokens;
end
$$;
select is(faded_for_hours(), 1e-9::float8, 'it never underflows');

select * from finish();
rollback;
