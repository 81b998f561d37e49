begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as a, given_model() as b, given_model() as never \gset
select given_route(:'a', :'b', :'never') as r \gset
update sluice.routes set weight = case model when :'a' then 3 when :'b' then 1 else 0 end where route = :'r';
select count(*) filter (where aim = id_of(:'a')) as of_a, count(*) filter (where aim = id_of(:'never')) as of_never
from (select sluice.aim(:'r') as aim from generate_series(1, 4000)) x \gset
select ok(:of_a between 2860 and 3140, :of_a || ' of 4000: five standard deviations around three quarters');
select is(:of_never, 0, 'never what has no weight');
update sluice.routes set weight = 0 where route = :'r';
select is(sluice.aim(:'r'), null, 'nothing to aim at');

select * from finish();
rollback;
