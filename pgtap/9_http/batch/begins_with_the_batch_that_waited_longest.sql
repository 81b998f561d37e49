begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_speaker() as m \gset
select given_batch(:'m') as a, given_batch(:'m') as b, given_batch(:'m') as done \gset
update sluice.batch set look_at = at(-1) where id = :b;
update sluice.batch set look_at = at(-2), phase = 'done', ended_at = at(0) where id = :done;
select sluice.advance_batches(at(1)) \g /dev/null
select is((batch_row(:b)).position, 1, 'one step of it');
select is((batch_row(:a)).position, 0, 'and of no other');
select sluice.advance_batches(at(1)) \g /dev/null
select is((batch_row(:a)).position, 1, 'which has the next turn');

select * from finish();
rollback;
