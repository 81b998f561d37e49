-- sluice.next_look
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

select given_speaker() as m, 'tenant ' || pg_backend_pid() as t \gset
select given_batch(:'m', 1, :'t') as b \gset
create function pause_of(p_batch bigint, p_took interval) returns interval language sql
as $$ select date_trunc('minute', sluice.next_look(batch_row(p_batch), '500 ms',
  clock_timestamp() - p_took, at(0)) - at(0)) $$;
select is(pause_of(:b, '3.2 s'), '1 minute', 'one rests 20 times as long as a look takes');
select given_batch(:'m', 1, :'t') from generate_series(1, 9) \g /dev/null
select is(pause_of(:b, '1.3 s'), '4 minutes', 'ten rest longer');
select is(pause_of(:b, '1 h'), '5 minutes', 'not for ever');
update sluice.batch set expires_at = at(120) where id = :b;
select is(pause_of(:b, '1 h'), '2 minutes', 'nor longer than it may take');
update sluice.batch set expires_at = at(900) where id = :b;
update sluice.batch set phase = 'done', ended_at = at(1) where tenant = :'t' and id <> :b;
select is(pause_of(:b, '3.2 s'), '1 minute', 'what has ended does not count');

select is(sluice.next_look(batch_row(:b), '1 s', clock_timestamp(), at(0)), at(1), 'but so long');

select * from finish();
rollback;
