-- sluice.leave_line, sluice.leave_some
begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select given_model() as a, given_model() as spare \gset
insert into sluice.fallbacks values (:'a', 'breaker_open', :'spare');
insert into sluice.tenants (name, models) values ('bound', array[:'a']);
select count(given_task(:'a', tenant => 'bound')) from generate_series(1, sluice.leave_page())
\g /dev/null
select given_task(:'a', p_now => at(1)) as t \gset
select sluice.move_breaker(id_of(:'a'), 'closed', 'open', 'a test', at(2)) \g /dev/null
update sluice.models set breaker_open = '1 h' where name = :'a';
select count(sluice.leave_broken(at(2 + n))) from generate_series(1, 3) n \g /dev/null
select is(places(:t), 'later', 'a task behind a page of those that may not go leaves');
select is(cardinality(queued(:'a')), sluice.leave_page(), 'these stay');

select * from finish();
rollback;
