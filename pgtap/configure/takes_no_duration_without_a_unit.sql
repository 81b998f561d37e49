begin;
\ir ../_helpers.sql
select plan(8);

insert into sluice.models (name, url) values ('m', 'http://h');
select throws_ok($$ select sluice.configure('settings', null, '{"retention": 7}', false) $$, 'SL004', 'retention 7 has no unit', 'a number');
select throws_ok($$ select sluice.configure('settings', null, '{"ageing": " +7.5 "}', false) $$, 'SL004', 'ageing " +7.5 " has no unit', 'a text');
select throws_ok($$ select sluice.configure('settings', null, '{"ageing": "1e3"}', true) $$, 'SL004', 'ageing "1e3" has no unit', 'an exponent');
select throws_ok($$ select sluice.configure('models', 'm', '{"hedge_after": 20, "rpm": 60}', false) $$, 'SL004', 'hedge_after 20 has no unit', 'a model');
select lives_ok($$ select sluice.configure('models', 'm', '{"batch_wait": 0}', false) $$, '0 is 0 of everything');
select lives_ok($$ select sluice.configure('models', 'm', '{"hedge_after": null, "timeout": "00:05:00"}', false) $$, 'null; what is shown');
select lives_ok($$ select sluice.configure('models', 'm', '{"timeout": "P1D", "batch_wait": "500ms"}', false) $$, 'other forms');
select lives_ok($$ select sluice.configure('tenants', 't', '{"weight": 2}', true) $$, 'numbers elsewhere');

select * from finish();
rollback;
