-- sluice.batch_pause
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m, 'tenant ' || pg_backend_pid() as t \gset
select given_batch(:'m', 1, :'t') as b \gset
create function pause_of(p_tenant text, p_took interval) returns interval language sql
as $$ select date_trunc('second', sluice.batch_pause(p_tenant, clock_timestamp() - p_took)) $$;
select is(pause_of(:'t', '50.001 ms'), '1 s', 'one rests 20 times as long as a look takes');
select given_batch(:'m', 1, :'t') from generate_series(1, 9) \g /dev/null
select is(pause_of(:'t', '50.001 ms'), '10 s', 'ten rest longer');
select is(pause_of(:'t', '1 h'), '5 minutes', 'not for ever');
update sluice.batch set phase = 'done', ended_at = at(1) where tenant = :'t' and id <> :b;
select is(pause_of(:'t', '50.001 ms'), '1 s', 'what has ended does not count');

select * from finish();
rollback;
