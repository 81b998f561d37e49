begin;
\ir ../../_helpers.sql
select plan(1);

select is(array[sluice.line_name(7), sluice.line_name(-7)], '{7,route_7}',
  'a model''s, a route''s');

select * from finish();
rollback;
