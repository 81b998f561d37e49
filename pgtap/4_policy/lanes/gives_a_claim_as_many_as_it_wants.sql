begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(7);

select given_model() as m \gset
select waits(:'m', 'a', 1, 400), waits(:'m', 'b', 1, 400) \g /dev/null
create function new_round(p_model text, p_last sluice.lane_round,
  p_want int) returns sluice.lane_round language sql
as $$ select sluice.new_round(p_last, id_of(p_model), id_of(p_model), 0::smallint,
  sluice.lane_heads(id_of(p_model), 9), 8, p_want) $$;
select is((new_round(:'m', null, 8)).ends, 200::float8,
  'one task of each lane and one more, by the first ones');
select is((new_round(:'m', round_at(:'m', null, 50, 60), 8)).begins, 60::float8,
  'begins where the last one ended');
select is((new_round(:'m', round_at(:'m', null, 50, 60, 10, 10), 8)).ends, 80::float8,
  'longer if that gave too few');
select is((new_round(:'m', round_at(:'m', null, 50, 60, 10, 40), 8)).ends, 65::float8,
  'shorter if it gave too many');
select is((new_round(:'m', round_at(:'m', null, 0, 19000, 10, 1), 8)).ends, 39000::float8,
  'a hundred times as long at most');
select is((new_round(:'m', round_at(:'m', null, 0, 50, 10, 0), 8)).ends, 100::float8,
  'no longer where nothing could be had');
select sluice.note_clocks(id_of(:'m'), array[turned('a', 70, 71)]) \g /dev/null
select is((new_round(:'m', round_at(:'m', null, 50, 60), 8)).begins, 70::float8,
  'nobody begins below the level');

select * from finish();
rollback;
