-- sluice.strength, sluice.chosen_calls
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(5);

create function rival(p_seconds float8, p_price float8) returns sluice.rival language sql
as $$ select row(1, p_seconds, 0, p_price, 1)::sluice.rival $$;
select is(sluice.chosen_calls(rival(1, 2), array[rival(1, 4), rival(1, 'infinity')], 'balanced',
  10), 6, 'unknown prices are not in the mean');
select is(sluice.strength(rival(2, 0), 'latency', 3), 0.0625::float8, 'latency: seconds alone');
select is(sluice.strength(rival(1, 3), 'balanced', 3), 0.0625::float8,
  'balanced: a mean price counts as twice the time');
select is(sluice.strength(rival(2, 0), 'balanced', 3), 0.0625::float8, 'what is free as the time');
select is(sluice.strength(rival(1, 'infinity'), 'balanced', 3), 0::float8,
  'what has no price last');

select * from finish();
rollback;
