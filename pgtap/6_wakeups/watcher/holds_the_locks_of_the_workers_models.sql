begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select array[id_of(:'m') % 64, 64 + id_of(:'m') % 64] as both \gset
select results_eq(format('select locks, complete, work, wake_in_ms '
                         'from sluice.take_sleeper_locks(%s, ''{}'', at(0))', :w),
  format('values (%L::int[], true, false, null::bigint)', :'both'),
    'its sleeper lock and its opening lock, and there is nothing to do');
select is(held_locks(), :'both', 'while it sleeps it holds them');
select sluice.drop_sleeper_locks(:'both');
select is(held_locks(), '{}', 'awake, it holds none');

select * from finish();
rollback;
