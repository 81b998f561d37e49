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
savepoint before;
select completed(:w, told(:t, 'solved', input_tokens => 1, output_tokens => 1)) \g /dev/null
rollback to before;
select is(sluice.tokens_spent(:id, at(2)), :reserved::bigint, 'the call may still be under way');
select completed(:w, told(:t, 'solved', input_tokens => 1, output_tokens => 1)) \g /dev/null
select is(sluice.tokens_spent(:id, at(2)), 2::bigint, 'told again it is refunded once');
select completed(:w, told(:t, 'solved', input_tokens => 1, output_tokens => 1)) \g /dev/null
select is(sluice.tokens_spent(:id, at(2)), 2::bigint, 'and not twice');

select * from finish();
rollback;
