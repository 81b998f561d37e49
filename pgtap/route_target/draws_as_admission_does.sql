begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as a, given_model() as b, given_model() as c, given_model() as d \gset
select given_route(:'a', :'b', :'c', :'d') as r \gset
update sluice.routes set weight = case model when :'a' then 0.3 when :'b' then 2.5 when :'c' then 1e-3 else 7 end where route = :'r';
select is_empty(format($$
  select n from generate_series(1, 2000) n
  where (sluice.route_target(%1$L, false, at(0), n)).id is distinct from
    sluice.drawn_model(sluice.route_share(%1$L, null, null, null, at(0)), n, 0)$$, :'r'), 'of four open models');
update sluice.models set paused = true where name = :'d';
update sluice.routes set weight = 0 where route = :'r' and model = :'a';
select is_empty(format($$
  select n from generate_series(1, 2000) n
  where (sluice.route_target(%1$L, false, at(0), n)).id is distinct from
    sluice.drawn_model(sluice.route_share(%1$L, null, null, null, at(0)), n, 0)$$, :'r'), 'of those that are left');
update sluice.routes set weight = case model when :'b' then 1e9 else 1e-9 end where route = :'r';
select is_empty(format($$
  select n from generate_series(1, 2000) n
  where (sluice.route_target(%1$L, false, at(0), n)).id is distinct from
    sluice.drawn_model(sluice.route_share(%1$L, null, null, null, at(0)), n, 0)$$, :'r'), 'of one beside which the others vanish');
select is((error_of(format('select sluice.route_target(%L, false, at(0), 1)', :'a'))).code, 'SL001', 'a model is no route');

select * from finish();
rollback;
