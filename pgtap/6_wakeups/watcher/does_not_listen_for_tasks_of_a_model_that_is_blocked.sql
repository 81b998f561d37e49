begin;
\set alone
\ir ../../_helpers.sql
select plan(8);

-- A task that comes now could not be called: nobody need be told, and who submits need not notify.
select given_model(rpm => 60) as m, given_model() as open \gset
select given_worker(array[:'m', :'open']) as w \gset
select given_tasks(:'m', 2) \g /dev/null
select claimed(:w, 1, at(1)) \g /dev/null
-- just now: or forget_idle_lines takes its lock, until this transaction ends
update sluice.ready_line set noted_at = at(1);
create function own_lock(p_model text) returns int language sql as 'select id_of(p_model) % 64';
create temp table looked on commit drop as select * from sluice.take_sleeper_locks(:w,
  '{}', at(1.1));
select is(held_locks(),
  array(select unnest(array[own_lock(:'open'), 64 + own_lock(:'m'), 64 + own_lock(:'open')])
  order by 1), 'but for its opening lock');
select is(locks, held_locks(), 'it says what it holds') from looked;
select ok(complete and not work, 'the watcher may sleep') from looked;
select ok(wake_in_ms between 800 and 1000, 'until the next permit comes') from looked;
select sluice.cancel_all(:'m') \g /dev/null
select is(wake_in_ms between 800 and 1000, true,
  'also when nothing waits: what comes meanwhile tells nobody')
from sluice.take_sleeper_locks(:w, held_locks(), at(1.1));
select is(held_locks() @> array[own_lock(:'m')], false, 'as long as that');
select locks as held from sluice.take_sleeper_locks(:w, held_locks(), at(2.2)) \gset
select is(held_locks() @> array[own_lock(:'m')], true, 'with a permit it listens again');
select sluice.pause(:'m');
select is(wake_in_ms, null, 'a pause ends at no known time')
from sluice.take_sleeper_locks(:w, held_locks(), at(2.3));
select sluice.drop_sleeper_locks(held_locks());

select * from finish();
rollback;
