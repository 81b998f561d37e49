begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select array[id_of(:'m') % 64, 64 + id_of(:'m') % 64] as both \gset
select results_eq(format('select bells, complete, work, wake_in_ms from sluice.take_bells(%s, ''{}'', at(0))', :w),
  format('values (%L::int[], true, false, null::bigint)', :'both'), 'its bell and its alarm, and there is nothing to do');
select is(held_bells(), :'both', 'while it sleeps it holds them');
select sluice.drop_bells(:'both');
select is(held_bells(), '{}', 'awake, it holds none');

select * from finish();
rollback;
