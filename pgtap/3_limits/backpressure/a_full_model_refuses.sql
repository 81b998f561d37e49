begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_model() as a \gset
update sluice.models set max_unfinished = 10 where name = :'a';
select given_tasks(:'a', 9) \g /dev/null
select lives_ok(format('select sluice.accept(''model'', ''%s'', 1, null, 1, %L)', id_of(:'a'),
  at(1)), 'counted, there is room: 9 of 10');
select given_task(:'a') \g /dev/null
select is((error_of(format('select sluice.accept(''model'', ''%s'', 1, null, 1, %L)', id_of(:'a'),
  at(1)))).code, 'SL003', 'full: 10 of 10');
update sluice.models set max_unfinished = null where name = :'a';
select is((error_of(format('select sluice.accept(''model'', ''%s'', 1, null, 1, %L)', id_of(:'a'),
  at(1)))).code, null,
  'without a bound of its own it has the settings''');
update sluice.settings set max_unfinished = 5;
select is((error_of(format('select sluice.accept(''model'', ''%s'', 1, null, 1, %L)', id_of(:'a'),
  at(1)))).code, 'SL003', 'whatever that is');

select * from finish();
rollback;
