begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

create function dated(p_ending text) returns text language sql
as $$
  select string_agg(e.key, ' ' order by e.key)
  from json_each(sluice.batch_object(batch_as(jsonb_build_object('phase', 'done', 'ending',
    p_ending, 'ended_at', at(9))))) e
  where e.key like '%ed_at' and e.value::text = sluice.unix_time(at(9))::text
$$;
select is(dated(null), 'completed_at', 'completed');
select is(dated('failed'), 'failed_at', 'failed');
select is(dated('expired'), 'expired_at', 'expired');
select is(dated('cancelled'), 'cancelled_at', 'cancelled');

select * from finish();
rollback;
