begin;
\set alone
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
update sluice.settings set max_unfinished = sluice.count_unfinished(0, null) + 1;
select lives_ok('select sluice.accept_for_system()', 'there is room for one');
select given_row(:'m', at(0)) \g /dev/null
select is((error_of('select sluice.accept_for_system()')).code, 'SL003', 'and for no more');

select * from finish();
rollback;
