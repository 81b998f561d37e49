begin;
\ir ../_helpers.sql
select plan(4);

select lives_ok($$select sluice.check_item('{"prompt": "p", "priority": 3}')$$, 'a good one');
select throws_ok($$select sluice.check_item('[]')$$, 'SL004', null, 'an array');
select throws_like($$select sluice.check_item('{"promt": "p", "priority": "x"}')$$, '%promt%', 'the key that is unknown is named');
select throws_ok($$select sluice.check_item('{"prompt": "p", "request": "{}"}')$$, 'SL004', null, 'check_task is asked as well');

select * from finish();
rollback;
