-- sluice.recount_headroom, sluice.take_headroom, sluice.full_share, sluice.critical_time
begin;
\set alone
\ir ../../_helpers.sql
select plan(11);

-- Every count is a dear one, as on a machine that is busy.
create or replace function sluice.count_cheap_ms()
returns int language sql immutable parallel safe as $$ select -1 $$;
-- The tasks are of other transactions.
create or replace function sluice.own_moves(out arrived bigint, out departed bigint) language sql
as $$ select 0::bigint, 0::bigint $$;
select given_model() as m \gset
select id_of(:'m') as id \gset
update sluice.models set max_unfinished = 20 where name = :'m';
create function front_submits() returns text language sql
as $$ select code from error_of(format(
  'select sluice.accept(''model'', ''%s'', 1, null, %s, now())', current_setting('my.id'),
  sluice.critical_share())) $$;
select set_config('my.id', :'id', true) \g /dev/null
select given_tasks(:'m', 17) \g /dev/null
select sluice.set_counter('load', :id, sluice.gauge_unknown()) \g /dev/null

select is(front_submits(), 'SL003', 'at 85 % the front is refused');
select is(sluice.counter('load', :id), 17::bigint, 'by a count, which is what SQL goes by');
select cmp_ok(sluice.counter('critical', :id), '>', sluice.micros(now()),
  'the front has a time of its own');
select sluice.set_counter('critical', :id, sluice.micros(clock_timestamp() + interval '1 hour')),
  sluice.set_counter('load', :id, 18) \g /dev/null
select is(front_submits(), 'SL003', 'before that');
select is(sluice.counter('load', :id), 18::bigint, 'nobody counts for it, and it draws nothing');
select lives_ok(format('select given_task(%L)', :'m'), 'SQL submits by the gauge');
select is(sluice.counter('load', :id), 19::bigint, 'and draws from it');
select lives_ok(format('select given_task(%L)', :'m'), 'when that is full SQL counts');
select is((error_of(format('select given_task(%L)', :'m'))).code, 'SL003',
  'and is refused at 95 %');
select cmp_ok(sluice.counter('load', :id), '>', sluice.gauge_unknown(),
  'what is full for SQL is full for all');

update sluice.settings set max_unfinished = ceil(sluice.count_unfinished('system', null) / 0.9);
select sluice.recount_headroom('system', null, 1, s.max_unfinished, 0.85) from sluice.settings s
\g /dev/null
select ok(pg_sequence_last_value('sluice.critical_all'::regclass) > sluice.micros(now())
  and pg_sequence_last_value('sluice.load_all'::regclass) < sluice.gauge_unknown(),
  'the same of the system');

select * from finish();
rollback;
