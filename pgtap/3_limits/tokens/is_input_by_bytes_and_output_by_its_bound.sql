begin;
\ir ../../_helpers.sql
select plan(6);

select given_model(tpm => 6000) as m \gset
select id_of(:'m') as id \gset
select is(sluice.estimate_tokens(:id, 4000, 100), 8 + 1000 + 100,
  'at first 4 bytes a token, and the task''s own bound');
select is(sluice.estimate_tokens(:id, 4000, null), 8 + 1000 + 512, 'without one 512');
select is(sluice.estimate_tokens(null, 4000, null), 8 + 1000 + 512, 'the same without a model');
select sluice.set_counter('learned', :id, sluice.pack_learned(500000, 30));
select is(sluice.estimate_tokens(:id, 4000, null), 8 + 2000 + 30, 'then what was learned');
select forget_counter('learned', :'m');
select is(sluice.estimate_tokens(:id, 4000, null), 8 + 1000 + 512, 'a crash resets that');
select is(sluice.estimate_tokens(:id, 268435456, 2147483647), 2147483647, 'nothing overflows');

select * from finish();
rollback;
