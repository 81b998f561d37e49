-- sluice.make_functions
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select has_function('sluice', ('take_' || id_of(:'m'))::name);
select has_function('sluice', (k || id_of(:'m'))::name)
from unnest(array['lanes_', 'peek_', 'draw_']) k;
select has_function('sluice', (k || id_of(:'m'))::name)
from unnest(array['add_', 'add_plain_']) k;

select * from finish();
rollback;
