begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

select given_speaker() as m \gset
select given_file(array['x']) as f, given_file(array['x']) as g \gset
update sluice.file set expires_at = at(1) where id in (:f, :g);
select given_batch(:'m') as b \gset
-- The attack: one tenant's batches were due without end, and nothing was cleared away.
select sluice.charge_turn('default', 5000, at(0)), sluice.charge_turn('', 5001, at(0)) \g /dev/null
select sluice.advance_batches(at(1)) \g /dev/null
select is((select count(*) from sluice.file where id in (:f, :g)), 2::bigint, 'batches come first');
update sluice.batch set look_at = at(1) where id = :b;
select is(sluice.drop_old(at(0)), null, 'what is not old stays');
select sluice.charge_turn('default', 5000, at(1)), sluice.advance_batches(at(1)) \g /dev/null
select is((select count(*) from sluice.file where id in (:f, :g)), 1::bigint,
  'then it is the turn of what is old');
update sluice.batch set look_at = at(9) where id = :b;
select is(sluice.advance_batches(at(1)), 0, 'one file a turn');
select is((select count(*) from sluice.file where id in (:f, :g)), 0::bigint, 'both are gone');
select is(sluice.advance_batches(at(1)), 1000, 'then there is nothing to do');

select * from finish();
rollback;
