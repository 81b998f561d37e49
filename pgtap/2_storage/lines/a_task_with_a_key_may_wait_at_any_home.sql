begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_route(:'m') as r \gset
create function lines(p_draft jsonb) returns int[] language sql
as $$ select sluice.lines_of_task(jsonb_populate_record(null::sluice.task_facts, p_draft)) $$;
select is(lines(jsonb_build_object('model', id_of(:'m'))), array[id_of(:'m')], 'of a model one');
select is(lines(jsonb_build_object('model', id_of(:'m'), 'affinity_key', 'k')),
  array[id_of(:'m')], 'also with a key');
select is(lines(jsonb_build_object('route', :'r')), array[own_line(:'r')], 'of a route, too');
insert into sluice.route_line (route, model) values (:'r', id_of(:'m')) returning -n as home \gset
select is(lines(jsonb_build_object('route', :'r', 'affinity_key', 'k')),
  array[:home, own_line(:'r')], 'with a key that of each home');

select * from finish();
rollback;
