begin;
\set alone
\ir ../_helpers.sql
select plan(5);

select given_model() as idle \gset
select given_model() as queued \gset
select given_model() as behind \gset
select given_task(:'queued') \g /dev/null
select given_route(:'behind') as r \gset
select given_task(:'r') \g /dev/null
select sluice.ring(id_of(:'idle'));
create function noted(p_model text) returns boolean language sql
as $$ select exists (select from sluice.rung where line = id_of(p_model)) $$;
select sluice.quieten(clock_timestamp());
select ok(noted(:'idle'), 'rung just now: it stays');
select sluice.quieten(at(0));
select ok(not noted(:'idle'), 'nothing waits: it goes');
select ok(noted(:'queued'), 'a queue that is not empty stays');
select ok(exists (select from sluice.rung where line = own_line(:'r')), 'so does a route''s');
select sluice.ring(id_of(:'idle'));
select sluice.quieten('2000-01-01');
select ok(not noted(:'idle'), 'a clock that was set back keeps nothing');

select * from finish();
rollback;
