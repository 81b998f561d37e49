begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_route(:'m') as r \gset
select is(sluice.line_of(7, null, null, null, null), 7, 'a model''s is its own id');
select is(sluice.line_of(null, :'r', null, null, null), own_line(:'r'), 'a route''s for prompts');
select isnt(sluice.line_of(null, :'r', 'solve', null, null), own_line(:'r'),
  'another one for requests');
select is(sluice.line_of(null, :'r', 'none', null, null), null,
  'of an api that nobody speaks there is none');

select * from finish();
rollback;
