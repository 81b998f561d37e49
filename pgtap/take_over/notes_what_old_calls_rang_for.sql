begin;
\set alone
\ir ../_helpers.sql
\ir ../has_remains/_helpers.sql
select plan(2);

select given_remains(), id_of(given_model()) as m \gset
insert into sluice.rung (model, rung_at) values (:m, at(0));
select sluice.take_over() \g /dev/null
select results_eq('select rung_at from sluice.rung where line = ' || :m, array[at(0)], 'it is a line''s now');
select is_empty('select from sluice.rung where line is null', 'and no longer a model''s');

select * from finish();
rollback;
