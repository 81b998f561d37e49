begin;
\set alone
\ir ../_helpers.sql
\ir ../has_remains/_helpers.sql
select plan(3);

select given_remains(), id_of(given_model()) as m \gset
insert into sluice.rung (model, rung_at) values (:m, at(0));
select sluice.drop_last_remains() \g /dev/null
select is(sluice.has_remains(), true, 'not while anything is to be moved');
select sluice.take_over(), sluice.drop_last_remains() \g /dev/null
select is(sluice.has_remains(), false, 'then all');
select hasnt_column('sluice', 'rung', 'model', 'also what was rung for by models');

select * from finish();
rollback;
