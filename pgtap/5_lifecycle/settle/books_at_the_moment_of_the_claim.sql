-- sluice.settle_reserved
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(tpm => 60000) as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select given_task(:'m', max_output_tokens => 90) as t \gset
select claimed(:w, 1, at(1)) \g /dev/null
select completed(:w, told(:t, 'solved', input_tokens => 5, output_tokens => 5), at(50)) \g /dev/null
select is(sluice.tokens_spent(:id, at(61)), 10::bigint, 'it counts where the call began');
select is(sluice.tokens_spent(:id, at(61.25)), 0::bigint, 'and leaves the window with it');
select given_task(:'m', max_output_tokens => 90, p_now => at(100)) as late \gset
select claimed(:w, 1, at(100)) \g /dev/null
select completed(:w, told(:late, 'solved', input_tokens => 5, output_tokens => 5),
  at(170)) \g /dev/null
select is((select count(*) from sluice.spent where account = :id and at = at(100)), 1::bigint,
  'what ends a window later is not corrected any more');

select * from finish();
rollback;
