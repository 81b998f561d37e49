begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(10);

select given_model(rpm => 600, tpm => 6000) as m \gset
insert into sluice.spent (account, at, tokens) values (id_of(:'m'), at(70), 100),
  (id_of(:'m'), at(99), 1000);
select sluice.note_clock_jump('10 s', at(100), at(110)) \g /dev/null
create function booked() returns timestamptz[] language sql
as $$ select array_agg(at order by at) from sluice.spent where at > at(0) $$;
select is(booked(), array[at(80), at(109)], 'what was booked moves along');
select is(sluice.note_clock_jump('10.04 s', at(98), at(113)), at(113),
  'another worker tells of the same jump');
select is(booked(), array[at(80), at(109)], 'nothing moves again');
select is(sluice.permits_now(model_row(:'m'), at(113)), 7,
  'and buckets fill from the first note on');
select sluice.note_clock_jump('20 s', at(99), at(125)) \g /dev/null
select is(sluice.permits_now(model_row(:'m'), at(125)), 0, 'a greater jump holds a second one');
select sluice.note_clock_jump('20 s', at(126), at(150)) \g /dev/null
select is(sluice.permits_now(model_row(:'m'), at(150)), 0,
  'one from a sound time after the note is a new one');
select sluice.note_clock_jump('20 s', p_now => at(160)) \g /dev/null
select is(sluice.permits_now(model_row(:'m'), at(160)), 0,
  'so is one of somebody who does not know');
select sluice.note_clock_jump('20 s', at(100), at(140)) \g /dev/null
select is(sluice.permits_now(model_row(:'m'), at(140)), 0,
  'a note by a clock that was set back since is none');

select given_priced_model() as p \gset
select given_budget('model', :'p', 1000, 'rolling', 'UTC', '1 minute') as b,
  given_worker(array[:'p'], at(3600)) as w \gset
select given_calls(:'p', 4) \g /dev/null
select claimed(:w, 4, at(3600)) as called \gset
select sluice.note_clock_jump('1 hour', at(3601), at(7205)) \g /dev/null
select is(stands(:'b', at(7205)), '0+400', 'money that was spent stays in a window that rolls,');
select completed(:w, told((:'called'::bigint[])[1], 'solved', input_tokens => 20,
  output_tokens => 5), at(7206)) \g /dev/null
select is(stands(:'b', at(7206)), '25+300', 'and calls are settled there');

select setval('sluice.clock_jumped_at', 0, false),
  setval('sluice.clock_jumped_by', 0, false) \g /dev/null
select * from finish();
rollback;
