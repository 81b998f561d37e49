-- sluice.settle_reserved
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(tpm => 60000) as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select given_task(:'m', max_output_tokens => 90) as t \gset
select claimed(:w, 1, at(1)) \g /dev/null
select sluice.tokens_spent(:id, at(2)) as reserved \gset
update sluice.worker set dead_at = at(20) where id = :w;
select sluice.recover(null, at(20)) \g /dev/null
select is(places(:t), 'queue', 'the worker was lost');
select is(sluice.tokens_spent(:id, at(20)), :reserved::bigint,
  'what it had begun may have been billed');
select given_worker() as other \gset
select claimed(:other, 1, at(30)) \g /dev/null
select is(sluice.tokens_spent(:id, at(30)), 2 * :reserved::bigint,
  'the next call reserves its own');

select * from finish();
rollback;
