-- sluice.drop_old_by_turns
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

select given_speaker() as m \gset
select given_file(array['x']) as f, given_file(array['x']) as g \gset
update sluice.file set expires_at = at(1) where id in (:f, :g);
create function left_over(p_files bigint[]) returns bigint language sql
as $$ select count(*) from sluice.file where id = any (p_files) $$;
delete from sluice.batch_turn;
select given_batch(:'m') as b \gset
-- The attack: one tenant's batches were due without end, and nothing was cleared away.
select sluice.advance_batches(at(1)) \g /dev/null
select is(left_over(array[:f, :g]), 1::bigint, 'also while a batch is due');
select sluice.advance_batches(at(1)) \g /dev/null
select results_eq('select tenant from sluice.batch_turn order by 1', $$values (''), ('default')$$,
  'whose steps come between');
select sluice.advance_batches(at(60)) \g /dev/null
select is(left_over(array[:f, :g]), 0::bigint, 'later the next');
select is(sluice.drop_old_by_turns(at(120)), false, 'then there is nothing');
update sluice.batch set look_at = at(900) where id = :b;
select given_file(array['x']) as h \gset
update sluice.file set expires_at = at(1) where id = :h;
select is(sluice.advance_batches(at(120)), 0, 'while none is due at once');
select is(left_over(array[:h]), 0::bigint, 'it is gone');

select * from finish();
rollback;
