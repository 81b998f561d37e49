begin;
\ir ../../_helpers.sql
select plan(2);

update sluice.settings set heartbeat_timeout = '1 minute';
select given_worker(p_now => at(0)) as w \gset
select given_worker(p_now => at(0)) as judge \gset
select sluice.heartbeat(:judge, at(50)), sluice.recover(:judge, at(59)) \g /dev/null
select is((select dead_at from sluice.worker where id = :w), null, 'a minute is a minute');
select sluice.heartbeat(:judge, at(61)), sluice.recover(:judge, at(61)) \g /dev/null
select is((select dead_at from sluice.worker where id = :w), at(61), 'and no more');

select * from finish();
rollback;
