begin;
\ir ../_helpers.sql
select plan(4);

select is(sluice.line_of(7, null), 'backlog_7', 'a model''s');
select is(sluice.line_of(null, 'r'), 'route_r', 'a route''s');
select is(sluice.line_of(7, 'r'), 'route_r', 'a route''s also while a model was drawn');
select is((select indexdef ~ 'COALESCE\(\(''route_''::text \|\| route\), \(''backlog_''::text \|\| \(model\)::text\)\)' from pg_indexes
  where indexname = 'backlog_of_line'), true, 'written out in the index');

select * from finish();
rollback;
