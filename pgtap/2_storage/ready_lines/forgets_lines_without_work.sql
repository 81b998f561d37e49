begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

select given_model() as idle \gset
select given_model() as queued \gset
select given_model() as behind \gset
select given_task(:'queued') \g /dev/null
select given_route(:'behind') as r \gset
select given_task(:'r') \g /dev/null
select sluice.notify_ready(id_of(:'idle'));
create function noted(p_model text) returns boolean language sql
as $$ select exists (select from sluice.ready_line where line = id_of(p_model)) $$;
select sluice.forget_idle_lines(clock_timestamp());
select ok(noted(:'idle'), 'noted just now: it stays');
select sluice.forget_idle_lines(at(0));
select ok(not noted(:'idle'), 'nothing waits: it goes');
select ok(noted(:'queued'), 'a queue that is not empty stays');
select ok(exists (select from sluice.ready_line where line = own_line(:'r')), 'so does a route''s');
select sluice.notify_ready(id_of(:'idle'));
select sluice.forget_idle_lines('2000-01-01');
select ok(not noted(:'idle'), 'a clock that was set back keeps nothing');

select * from finish();
rollback;
