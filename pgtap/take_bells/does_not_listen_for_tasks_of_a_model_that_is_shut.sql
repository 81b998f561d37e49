begin;
\set alone
\ir ../_helpers.sql
select plan(8);

-- A task that comes now could not be called: nobody need be told, and who submits need not notify.
select given_model(rpm => 60) as m, given_model() as open \gset
select given_worker(array[:'m', :'open']) as w \gset
select given_tasks(:'m', 2) \g /dev/null
select claimed(:w, 1, at(1)) \g /dev/null
update sluice.rung set rung_at = at(1);  -- just now: or quieten locks its bell, until this transaction ends
create function bell(p_model text) returns int language sql as 'select id_of(p_model) % 64';
create temp table looked on commit drop as select * from sluice.take_bells(:w, '{}', at(1.1));
select is(held_bells(), array(select unnest(array[bell(:'open'), 64 + bell(:'m'), 64 + bell(:'open')]) order by 1), 'but for its alarm');
select is(bells, held_bells(), 'it says what it holds') from looked;
select ok(complete and not work, 'the watcher may sleep') from looked;
select ok(wake_in_ms between 800 and 1000, 'until the next permit comes') from looked;
select sluice.cancel_all(:'m') \g /dev/null
select is(wake_in_ms between 800 and 1000, true, 'also when nothing waits: what comes meanwhile tells nobody')
from sluice.take_bells(:w, held_bells(), at(1.1));
select is(held_bells() @> array[bell(:'m')], false, 'as long as that');
select bells as held from sluice.take_bells(:w, held_bells(), at(2.2)) \gset
select is(held_bells() @> array[bell(:'m')], true, 'with a permit it listens again');
select sluice.pause(:'m');
select is(wake_in_ms, null, 'a pause ends at no known time') from sluice.take_bells(:w, held_bells(), at(2.3));
select sluice.drop_bells(held_bells());

select * from finish();
rollback;
