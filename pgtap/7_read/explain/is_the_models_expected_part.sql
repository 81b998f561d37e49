begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
update sluice.routes set weight = 3 where model = :'b';
select is(sluice.line_part(id_of(:'a'), model_row(:'a'), at(1)), 1::float8, 'all of its own line');
select is(sluice.line_part(own_line(:'r'), model_row(:'a'), at(1)), 1::float8,
  'of a route''s all, while no other one asks');
select sluice.may_take(own_line(:'r'), id_of(:'b'), 3, 0, at(1)) \g /dev/null
select is(sluice.line_part(own_line(:'r'), model_row(:'a'), at(1)), 0.25::float8,
  'else as its weight says');

select * from finish();
rollback;
