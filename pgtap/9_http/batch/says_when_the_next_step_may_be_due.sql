begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
select is(sluice.advance_batches(at(0)), 60000, 'without batches: in settings.idle_look');
select given_batch(:'m') as b \gset
select is(sluice.advance_batches(at(0)), 0, 'at once');
update sluice.batch set look_at = at(0.25) where id = :b;
select is(sluice.advance_batches(at(0)), 250, 'when it says');
update sluice.batch set look_at = at(100) where id = :b;
select is(sluice.advance_batches(at(0)), 1000, 'but in a second anyway');

select * from finish();
rollback;
