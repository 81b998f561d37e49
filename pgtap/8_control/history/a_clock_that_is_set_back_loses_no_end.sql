-- sluice.begin_look
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(3);

select given_model() as m \gset
select given_looks();
select given_end(:'m', 'solved', at(1)) \g /dev/null
select is(sluice.count_ends(at(86400)), 1::bigint, 'a look by a clock that is a day ahead');
savepoint another_transaction;  -- as for the look, by its id
select given_end(:'m', 'failed', at(190)) \g /dev/null
release another_transaction;
select is(sluice.count_ends(at(200)), 1::bigint, 'counts no less afterwards');
select is(counted(:'m'), '1 1 0 0', 'each once');

select * from finish();
rollback;
