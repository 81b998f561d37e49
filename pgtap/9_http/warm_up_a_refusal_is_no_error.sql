begin;
\set alone
\ir ../_helpers.sql
select plan(2);

delete from sluice.models;
select lives_ok('select sluice.warm_up()', 'without a model');
select given_model() as m \gset
update sluice.models set max_unfinished = 1 where name = :'m';
select given_task(:'m') \g /dev/null
select lives_ok('select sluice.warm_up()', 'with one that is full');

select * from finish();
rollback;
