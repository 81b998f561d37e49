begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(9);

select given_model() as m \gset
select given_looks();
select sluice.cancel(id, at(1)) from unnest(given_tasks(:'m', 25)) id \g /dev/null
update sluice.history_look set ends_max = 10;
select is(sluice.count_ends(at(2)), 10::bigint, 'a look');
select isnt((select next_id from sluice.history_look), null, 'says that there is more');
select sluice.cancel(id, at(1)) from unnest(given_tasks(:'m', 3, at(1))) id \g /dev/null
update sluice.history_look set ends_max = 10;
select is(sluice.count_ends(at(3)), 10::bigint, 'the next goes on');
update sluice.history_look set ends_max = 1000;
select is(sluice.count_ends(at(4)), 8::bigint, 'to the end');
select is((select next_id from sluice.history_look), null, 'then it is over');
select is(counted(:'m'), '0 0 28 0', 'everything once');
select is((select at from sluice.history_look), at(2), 'up to the time when the round began');
select is((select count(*) from sluice.uncounted_ends(row(l.*)::sluice.history_look))
    + (select count(*) from sluice.uncounted_calls(row(l.*)::sluice.history_look)), 0::bigint,
  'nothing is left') from sluice.history_look l;
select is(sluice.add_cells(l, 9223372036854775807), 0::bigint, 'nor added')
from sluice.history_look l;

select * from finish();
rollback;
