begin;
\set alone
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_mark(:'m', at(n)) from generate_series(1, 5) n \g /dev/null
select given_mark(:'m', at(1), 7), sluice.note_meter(own_line(:'r'), 1, at(n), n, 1) from generate_series(1, 5) n \g /dev/null
select sluice.clean_hints(at(2)) \g /dev/null
select is((select count(*) from sluice.mark where line = id_of(:'m')), 2::bigint, 'one a lane');
select is(marked(:'m'), at(5), 'the newest');
select is((select array_agg(v) from sluice.meter where line = own_line(:'r')), '{5}'::float8[], 'so of meters');
select sluice.clean_hints(at(1000)) \g /dev/null
select is((select count(*) from sluice.mark where line = id_of(:'m')), 0::bigint, 'none of lanes that have long been empty');

select * from finish();
rollback;
