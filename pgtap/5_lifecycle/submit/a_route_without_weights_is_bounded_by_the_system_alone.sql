-- sluice.submit
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
update sluice.models set max_unfinished = 1 where name = :'m';
select sluice.set_counter('load', id_of(:'m'), 0) \g /dev/null
select given_route(:'m') as r \gset
update sluice.routes set weight = 0 where route = :'r';
select lives_ok(format('select given_task(%L) from generate_series(1, 3)', :'r'),
  'no model can be full of its tasks');
select is(sluice.counter('load', id_of(:'m')), 0::bigint, 'and no gauge counts them');

select * from finish();
rollback;
