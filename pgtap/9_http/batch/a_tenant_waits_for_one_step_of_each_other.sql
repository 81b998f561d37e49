begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m \gset
update sluice.batch set look_at = at(1000) where phase <> 'done';
select given_batch(:'m', 3, 'many') as a, given_batch(:'m', 3, 'many') as b,
  given_batch(:'m', 1, 'few') as c \gset
update sluice.batch set look_at = at(-2) where id = :a;
update sluice.batch set look_at = at(-1) where id = :b;
select results_eq('select sluice.batch_turns(at(1))', array[:a, :b, :c]::bigint[],
  'nobody has had a turn: who has waited longest');
select sluice.charge_turn('many', 1000, at(1)) \g /dev/null
update sluice.batch set look_at = at(1) where id = :a;
select results_eq('select sluice.batch_turns(at(2))', array[:c, :b, :a]::bigint[],
  'another tenant first, then the tenant''s other batch');
select sluice.charge_turn('few', 1001, at(2)) \g /dev/null
update sluice.batch set look_at = at(2) where id = :c;
select results_eq('select sluice.batch_turns(at(3))', array[:b, :a, :c]::bigint[], 'and in turns');
update sluice.batch set look_at = at(9) where id = :b;
select results_eq('select sluice.batch_turns(at(3))', array[:a, :c]::bigint[],
  'of those that are due');

select * from finish();
rollback;
