begin;
\set alone
\ir ../_helpers.sql
\ir ../_upgrade.sql
select plan(3);

select given_remains(), id_of(given_model()) as m \gset
insert into sluice.rung (model, rung_at) values (:m, at(0));
select is((error_of('select sluice.drop_backlog()')).code, '55P03', 'something is to be moved');
select sluice.move_backlog(at(1)), sluice.drop_backlog() \g /dev/null
select hasnt_table('sluice', 'backlog', 'then it goes');
select hasnt_type('sluice', 'arrival', 'and what belonged to it');

select * from finish();
rollback;
