begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
select is(sluice.candidate_lines(1, id_of(:'m'), null, 1), array[id_of(:'m')], 'a model''s one');
select is(sluice.candidate_lines(1, null, :'r', 1), sluice.lines_of_route(:'r'), 'a route''s');
select given_row(:'m', at(0), 7);
select is(sluice.candidate_lines(7, null, :'r', 2), sluice.lines_of_route(:'r') || id_of(:'m'), 'at last where an upgrade found it');

select * from finish();
rollback;
