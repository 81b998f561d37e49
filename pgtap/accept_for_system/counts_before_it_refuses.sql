begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
update sluice.settings set max_unfinished = sluice.count_unfinished(0, null) + 1;
select lives_ok('select sluice.accept_for_system(true)', 'nothing is counted while the gauge says yes');
select lives_ok('select sluice.accept_for_system(false)', 'the gauge says no, the count says yes');
select given_row(:'m', at(0)) \g /dev/null
select is((error_of('select sluice.accept_for_system(false)')).code, 'SL003', 'both say no');

select * from finish();
rollback;
