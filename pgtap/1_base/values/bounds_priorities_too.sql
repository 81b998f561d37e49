-- twin: rank_max
begin;
\ir ../../_helpers.sql
select plan(5);

create function fault_of(p_priority int) returns text language sql
as $$ select sluice.fault('x', null, p_priority, null, null, null, 't', null, null, null, 10,
  at(0)) $$;
create function is_plain(p_priority int) returns boolean language sql
as $$ select sluice.is_plain(1, null, p_priority, null, null, null, null, null, null, 10) $$;

select is(array(select fault_of(p * sluice.rank_max()) from unnest(array[-1, 1]) p),
  array[null, null], 'these are priorities');
select is(array(select fault_of(p * (sluice.rank_max() + 1)) from unnest(array[-1, 1]) p),
  array['priority', 'priority'], 'those beyond are none');
select is(array(select is_plain(p) from unnest(array[-sluice.rank_max() - 1, -sluice.rank_max(),
  sluice.rank_max(), sluice.rank_max() + 1]) p), array[false, true, true, false],
  'a plain task has the same bounds');
select is((error_of(format($$ select sluice.submit('x', %L, priority => 30000) $$,
  given_model()))).message, format('priority 30000 is not between -%1$s and %1$s',
  sluice.rank_max()), 'the error names them');
select is(sluice.example_text('priority', 'int'::regtype),
  format('-%1$s to %1$s, higher first; over HTTP also "hot" (50) and "cold" (0).',
  sluice.rank_max()), 'so does the example');

select * from finish();
rollback;
