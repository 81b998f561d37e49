begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_model(tpm => 6000) as m \gset
insert into sluice.spent (account, at, tokens) values
  (id_of(:'m'), at(-30), 100), (id_of(:'m'), at(40), 1000), (id_of(:'m'), at(99), 2000);
select is(sluice.tokens_spent(id_of(:'m'), at(3700)), 0::bigint,
  'an hour ahead nothing is in the window');
select sluice.note_clock_jump('1 hour', p_now => at(3700)) \g /dev/null
select is(sluice.tokens_spent(id_of(:'m'), at(3700)), 3000::bigint,
  'what was booked in the last minute is');
select sluice.note_clock_jump('1 hour', p_now => at(3701)) \g /dev/null
select is(sluice.tokens_spent(id_of(:'m'), at(3701)), 2000::bigint,
  'once: another worker''s note moves nothing');
select is(sluice.tokens_spent(id_of(:'m'), at(3760)), 0::bigint,
  'and it leaves the window in its time');

select setval('sluice.clock_jumped_at', 0, false),
  setval('sluice.clock_jumped_by', 0, false) \g /dev/null
select * from finish();
rollback;
