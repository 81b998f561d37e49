begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as m \gset
select given_route(:'m') as r \gset
insert into sluice.payload_schema (target, version) values (:'m', 'v'), (:'r', 'v');
select is(sluice.line_of(id_of(:'m'), null, null, 'v', null) < 0, true, 'of a model');
select is(sluice.line_of(null, :'r', 'solve', 'v', null) < 0, true, 'of a route''s requests');
select isnt(sluice.line_of(null, :'r', null, 'v', null),
  sluice.line_of(null, :'r', 'solve', 'v', null), 'another one for prompts');
select is(sluice.line_of(null, :'r', null, null, null), own_line(:'r'),
  'its own line stays what it was');
select is(sluice.line_of(id_of(:'m'), null, null, 'w', null), null,
  'none of a version that is not there');
select is(sluice.lines_of_model(id_of(:'m')),
  array[sluice.line_of(id_of(:'m'), null, null, 'v', null), id_of(:'m')], 'both are the model''s');
select is(sluice.lines_for(model_row(:'m')) @> sluice.lines_of_model(id_of(:'m')), true,
  'from which it takes');
select is(sluice.models_of_line(sluice.line_of(id_of(:'m'), null, null, 'v', null)),
  array[id_of(:'m')], 'and no other model');
select is(sluice.serves_version(null, 'v'), true, 'a version is served where nobody says no');

select * from finish();
rollback;
