begin;
\set alone
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select lives_ok(format('select sluice.warm_up_model(%L, -7, at(0))', :'m'), 'a task passes');
select is(places(-7), null, 'it is nowhere');
select is((select count(*) from sluice.task where id = -7), 0::bigint, 'and was never asked for');

select is((select count(*) from sluice.worker where name = 'warm-up'), 0::bigint,
  'no worker either');

select * from finish();
rollback;
