begin;
\ir ../../_helpers.sql
select plan(5);

select lives_ok($$select sluice.check_columns('{"a": 1}', '{a,b}')$$, 'some of them');
select lives_ok($$select sluice.check_columns('{}', '{a,b}')$$, 'none');
select throws_ok($$select sluice.check_columns('{"c": 1}', '{a,b}')$$, 'SL004',
  'unknown key "c"', 'another');
select throws_ok($$select sluice.check_columns('[]', '{a,b}')$$, 'SL004',
  'the body is a JSON array, not an object', 'no object');
select throws_ok($$select sluice.check_columns(null, '{a,b}')$$, 'SL004', null, 'nothing');

select * from finish();
rollback;
