-- sluice.batches_kept_max, sluice.drop_oldest_batches
-- The attack: a million failed batches of one tenant, of 50 kB each, in other tenants' lists.
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_speaker() as m, 'tenant ' || pg_backend_pid() as t \gset
select given_file(array[lines_of_batch(:'m', 1)], :'t') as f \gset
select batch_over(:f, :'t') as open \gset
insert into sluice.batch (input_file, created_at, expires_at, look_at, ended_at, phase, endpoint,
  completion_window, tenant, output_lifetime)
select :f, at(0), at(1), at(0), at(1), 'done', '/v1/chat/completions', '24h', :'t', '1 day'
from generate_series(1, sluice.batches_kept_max() + 50);
create function kept(p_tenant text) returns bigint language sql
as $$ select count(*) from sluice.batch where tenant = p_tenant $$;
select sluice.drop_oldest_batches(:'t') \g /dev/null
select is(kept(:'t'), sluice.batches_kept_max() + 1::bigint, 'the oldest go');
select is((select phase from sluice.batch where id = :open), 'validate', 'but none that is open');
select sluice.drop_oldest_batches(:'t') \g /dev/null
select is(kept(:'t'), sluice.batches_kept_max() + 1::bigint, 'and no more');

select * from finish();
rollback;
