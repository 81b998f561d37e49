begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(4);

select given_model() as m \gset
select waits(:'m', 'tenant ' || n, 1) from generate_series(1, 4) n \g /dev/null
create temporary table k on commit drop as
select h.tenant, row_number() over (order by h.tenant) as n
from unnest(sluice.lane_heads(id_of(:'m'), 9)) h;
create function key(p_n int) returns bigint language sql as $$ select tenant from k
  where n = p_n $$;
create function goes_on(p_model text, p_turns sluice.turn[], p_is_cut boolean, out next bigint,
  out passed int) language plpgsql
as $$
begin
  perform sluice.note_rounds(array[round_at(p_model, key(1))], sluice.lane_heads(id_of(p_model), 3),
    p_turns, p_is_cut);
  select r.next, r.passed into next, passed from sluice.round_of(id_of(p_model), id_of(p_model)) r;
end
$$;
create function turn_of(p_model text, p_n int) returns sluice.turn language sql
as $$ select row(0, id_of(p_model), 1, 0, key(p_n), null, null, 4, 1, 0, 0, 1, 0,
  false)::sluice.turn $$;
select is(goes_on(:'m', array[turn_of(:'m', 1), turn_of(:'m', 2)], true), row(key(2), 1),
  'with the last lane that gave some, if more are due');
select is(goes_on(:'m', array[turn_of(:'m', 1)], false), row(key(3) + 1, 3),
  'else behind those in sight');
select is(goes_on(:'m', '{}', true), row(key(3) + 1, 3), 'also if none could give any');
select sluice.note_rounds('{}', '{}', '{}', true) \g /dev/null
select pass('no round, nothing to note');

select * from finish();
rollback;
