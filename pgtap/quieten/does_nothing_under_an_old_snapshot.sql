begin isolation level repeatable read;
\ir ../_helpers.sql
select plan(1);

select given_model() as m \gset
select sluice.ring(id_of(:'m'));
select sluice.quieten(at(0));
select isnt_empty(format('select from sluice.rung where line = %s', id_of(:'m')), 'it might not see what was just committed');

select * from finish();
rollback;
