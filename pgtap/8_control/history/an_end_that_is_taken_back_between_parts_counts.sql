begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(5);

select given_model() as m \gset
select given_looks();
select array_agg(id order by id) as ids from unnest(given_tasks(:'m', 6)) id \gset
select sluice.cancel(id, at(1)) from unnest(:'ids'::bigint[]) id \g /dev/null
select sluice.redrive((:'ids'::bigint[])[6], at(2)) \g /dev/null
update sluice.history_look set ends_max = 2;
select is(sluice.count_ends(at(3)), 2::bigint, 'a part of the ends, not yet what was taken back');
select sluice.redrive(id, at(4)) from unnest((:'ids'::bigint[])[1:1] || (:'ids'::bigint[])[5:5]) id
\g /dev/null
update sluice.history_look set ends_max = 1000;
select is(sluice.count_ends(at(5)), 4::bigint,
  'the next has also the one that was taken back since, and no end of the part before');
select is((select next_id from sluice.history_look), null, 'the round is over');
select is(counted(:'m'), '0 0 6 0', 'everything once');
select is(sluice.count_ends(at(6)), 0::bigint, 'nothing is left');

select * from finish();
rollback;
