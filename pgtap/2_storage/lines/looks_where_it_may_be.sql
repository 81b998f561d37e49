begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m, given_model() as other \gset
select given_route(:'m') as r \gset
select given_task(:'m') as t, given_task(:'r') as routed \gset
create function place(p_task bigint, p_model int, p_route text) returns text language sql
as $$ select status || ' ' || coalesce(line, 0) from sluice.find_place(p_task, p_model, p_route) $$;
select is(place(:t, id_of(:'m'), null), 'queued ' || id_of(:'m'), 'in its model''s line');
select is(place(:t, id_of(:'other'), null), null, 'it is not looked for in others');
select is(place(:routed, null, :'r'), 'queued ' || own_line(:'r'), 'in its route''s');
select sluice.cancel(:t) \g /dev/null
select is(place(:t, id_of(:'m'), null), null, 'ended, it is in none');

select * from finish();
rollback;
