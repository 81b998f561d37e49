begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
select has_table('sluice', ('queue_' || sluice.line_name(own_line(:'r')))::name, 'its table');
select has_sequence('sluice', ('waits_' || sluice.line_name(own_line(:'r')))::name, 'its gauge');
select throws_ok(format('insert into sluice.%I select 1, now(), null, 7, 1, 0, 0, 0, %L', 'queue_' || sluice.line_name(own_line(:'r')),
  'x'),
  '23514', null, 'a route''s rows have no model');

select * from finish();
rollback;
