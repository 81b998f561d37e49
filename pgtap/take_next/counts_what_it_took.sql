begin;
\ir ../_helpers.sql
\ir ../fair_turns/_helpers.sql
select plan(2);

-- A deadline brings forward another task than the first one.
select given_model() as m \gset
select waits(:'m', 'a', 3, 40), waits(:'m', 'a', 1, 400, p_deadline => at(900)), waits(:'m', 'b', 3, 40, p_ready => at(0.5)) \g /dev/null
create function taken(p_model text, p_heads int, out bytes int, out finish float8) language sql
as $$ select t.gone[1].request_bytes, t.turns[1].finish from sluice.take_next(id_of(p_model), sluice.lane_heads(id_of(p_model), p_heads),
  '{}', array[row(id_of(p_model), null)]::sluice.line_share[], at(1)) t $$;
select is(taken(:'m', 2), row(400, 100::float8), 'by its tokens');
select is(taken(:'m', 0), row(null::int, null::float8), 'of no lanes none');

select * from finish();
rollback;
