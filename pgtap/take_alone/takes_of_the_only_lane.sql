begin;
\ir ../_helpers.sql
\ir ../fair_turns/_helpers.sql
select plan(7);

select given_model() as m \gset
create function taken(p_model text, p_most int, p_want int, out rows int, out done boolean) language sql
as $$ select cardinality(t.gone), t.done from sluice.take_alone(row(id_of(p_model), p_most)::sluice.line_share, p_want,
  100::smallint, at(1)) t $$;
select is(taken(:'m', null, 5), row(0, true), 'nothing waits');
select waits(:'m', 'a', 20) \g /dev/null
select is(taken(:'m', null, 1), row(1, true), 'one');
select is(taken(:'m', null, 5), row(5, true), 'or as many as are wanted');
select is(taken(:'m', 2, 5), row(2, true), 'within the line''s share');
select given_mark(:'m', at(-1), 0, 'a') \g /dev/null
select is(taken(:'m', null, 1), row(1, true), 'behind its mark, too');
select waits(:'m', 'b', 1) \g /dev/null
select is(taken(:'m', null, 5), row(0, false), 'of several none: that takes weights and clocks');
select is((select sum(sluice.depth(id_of(:'m')))), 12::bigint, 'and all are still there');

select * from finish();
rollback;
