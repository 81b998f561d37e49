begin;
\set alone
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
select id_of(:'m') as id \gset
update sluice.models set max_unfinished = 100 where name = :'m';
select given_tasks(:'m', 10) \g /dev/null
create or replace function sluice.count_cheap_ms()
returns int language sql immutable parallel safe as $$ select -1 $$;  -- none is
-- The tasks are of another transaction.
create or replace function sluice.own_moves(out arrived bigint, out departed bigint) language sql
as $$ select 0::bigint, 0::bigint $$;
select sluice.set_counter('load', :id, sluice.gauge_unknown()) \g /dev/null
select is(sluice.recount_headroom('model', :'id', 1, 100, 0.95), 1, 'room');
select is(sluice.counter('load', :id), 11::bigint,
  'after a count that finds room the next may count');
select is(sluice.recount_headroom('model', :'id', 1, 10, 0.95), 0, 'no room');
select cmp_ok(sluice.counter('load', :id), '>', sluice.gauge_unknown(),
  'the gauge holds a time: nobody counts before it');
create or replace function sluice.own_moves(out arrived bigint, out departed bigint) language sql
as $$ select 1::bigint, 0::bigint $$;
select sluice.set_counter('load', :id, sluice.gauge_unknown()) \g /dev/null
select is(sluice.recount_headroom('model', :'id', 1, 10, 0.95), 0, 'no room for lack of its own');
select is(sluice.counter('load', :id), 10::bigint, 'which others do not wait for');
create or replace function sluice.own_moves(out arrived bigint, out departed bigint) language sql
as $$ select 0::bigint, 0::bigint $$;
create or replace function sluice.count_unfinished(
  p_kind text, p_of text, p_max bigint default null)
returns bigint language sql
as $$ select 4 + 0 * max(nextval('sluice.load_' || p_of)) from generate_series(1, 6) $$;
select sluice.set_counter('load', :id, sluice.gauge_unknown() - 10) \g /dev/null
select is(sluice.recount_headroom('model', :'id', 1, 10, 0.95), 0,
  'no room, for others took it while this one counted');
select is(sluice.counter('load', :id), 10::bigint, 'perhaps to undo that, so the next may count');

select * from finish();
rollback;
