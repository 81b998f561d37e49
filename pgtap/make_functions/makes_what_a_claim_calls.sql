begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select has_function('sluice', ('take_' || id_of(:'m'))::name);
select has_function('sluice', ('depth_' || id_of(:'m'))::name);
select has_function('sluice', ('urgent_' || id_of(:'m'))::name);
select has_function('sluice', ('put_' || id_of(:'m'))::name);

select * from finish();
rollback;
