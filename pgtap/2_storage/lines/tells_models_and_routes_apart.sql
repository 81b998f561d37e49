begin;
\ir ../../_helpers.sql
select plan(2);

select is(array[sluice.line_name(7), sluice.line_name(-7)], '{7,route_7}',
  'a model''s, a route''s');
select is(array[sluice.place_of(7), sluice.place_of(-7), sluice.place_of(0)],
  '{queue_7,queue_route_7,later}', 'their tables, and what waits for its time');

select * from finish();
rollback;
