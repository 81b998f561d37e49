begin isolation level repeatable read;
\ir ../../_helpers.sql
select plan(2);

-- The note that an old snapshot shows may be gone.
select given_model() as m \gset
select sluice.notify_ready(id_of(:'m')), sluice.notify_ready(id_of(:'m')) \g /dev/null
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 2::bigint,
  'what it sees is not believed');
select sluice.notify_ready(id_of(:'m'), p_deferred => true) \g /dev/null
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 2::bigint,
  'what waits for its commit needs no note');

select * from finish();
rollback;
