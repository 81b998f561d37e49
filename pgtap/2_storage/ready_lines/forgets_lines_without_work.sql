begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

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

insert into sluice.ready_line (line, noted_at)
select id_of(:'queued'), clock_timestamp() - s * interval '1 s' from unnest(array[11, 30, 60]) s;
select sluice.forget_idle_lines(clock_timestamp());
select is((select count(*) from sluice.ready_line where line = id_of(:'queued')
  and noted_at < clock_timestamp() - interval '11 s'), 0::bigint, 'older notes are of no use');

select * from finish();
rollback;
