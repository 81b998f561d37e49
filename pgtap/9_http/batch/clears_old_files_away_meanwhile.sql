-- sluice.advance_batches
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_speaker() as m \gset
select given_file(array['x']) as f \gset
update sluice.file set expires_at = at(1) where id = :f;
select given_batch(:'m') as b \gset
-- The attack: one tenant's batches were due without end, and nothing was cleared away.
do $$
begin
  for v_step in 1 .. 500 loop
    perform sluice.advance_batches(at(1));
    exit when not exists (select from sluice.file where expires_at = at(1));
    update sluice.batch set look_at = at(0);
  end loop;
end
$$;
select is((select count(*) from sluice.file where id = :f), 0::bigint, 'while a batch is due');
update sluice.batch set look_at = at(900) where id = :b;
select given_file(array['x']) as g \gset
update sluice.file set expires_at = at(1) where id = :g;
select is(sluice.advance_batches(at(120)), 0, 'and at once while none is');
select is((select count(*) from sluice.file where id = :g), 0::bigint, 'it is gone');

select * from finish();
rollback;
