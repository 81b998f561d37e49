begin;
\ir ../_helpers.sql
\ir ../fair_turns/_helpers.sql
select plan(3);

select given_model() as m \gset
select waits(:'m', 'a', 5) \g /dev/null
create function taken(p_model text, p_most int, out rows int, out cut boolean) language sql
as $$ select cardinality(t.gone), t.cut from sluice.take_lane((sluice.lane_heads(id_of(p_model), 1))[1],
  array[row(id_of(p_model), p_most)]::sluice.line_share[], 2, at(1)) t $$;
select is(taken(:'m', 1), row(1, true), 'of its line');
select is(taken(:'m', null), row(2, false), 'or what was asked for');
select is(taken(:'m', 9), row(2, false), 'no more');

select * from finish();
rollback;
