begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(4);

select given_model() as m \gset
select given_looks();
select given_end(:'m', 'solved', at(1)) \g /dev/null
select is((select row(counted, is_done)::text from sluice.keep_history(at(10))),
  row(0, true)::text, 'in a transaction that has written it does nothing');
select is(counted(:'m'), '0 0 0 0', 'nothing is counted');
select sluice.begin_look(at(10)) \g /dev/null
select sluice.end_look();
select is((select at from sluice.history_look), at(10), 'a round that ends has counted');
select lives_ok('select sluice.summarize_ends()', 'the index takes in what was written');

select * from finish();
rollback;
