begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as a \gset
select given_model() as b \gset
select given_model() as c \gset
select given_route(:'a', :'b', :'c') as r \gset
update sluice.routes set weight = case model when :'a' then 1 when :'b' then 3 else 0 end where route = :'r';
create temp table drawn on commit drop as
select (sluice.route_target(:'r', false, at(0), n)).id from generate_series(1, 10000) n;
select ok(abs(avg((id = id_of(:'b'))::int) - 0.75) < 0.02, 'weights 1 : 3 draw 25 % and 75 %, within two points') from drawn;
select is(count(*), 0::bigint, 'weight 0 is never drawn') from drawn where id = id_of(:'c');

select * from finish();
rollback;
