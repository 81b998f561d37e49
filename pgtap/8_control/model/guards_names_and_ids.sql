-- sluice.before_model_changes
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_route(:'m') as r \gset
select throws_ok(format('insert into sluice.models (name, url) values (%L, ''http://h'')', :'r'),
  '23505', null, 'a model cannot have the name of a route');
select throws_ok(format('update sluice.models set name = %L where name = %L', :'r', :'m'),
  '23505', null, 'nor be renamed to it');
select throws_ok(format('update sluice.models set id = id + 1000000 where name = %L', :'m'),
  '23514', null, 'the id names the queue table and cannot change');
select lives_ok(format('update sluice.models set name = %L where name = %L', :'m' || '-new', :'m'),
  'renaming is allowed');
select is((select model from sluice.routes where route = :'r'), :'m' || '-new',
  'the routes follow');

select * from finish();
rollback;
