begin;
\ir ../_helpers.sql
select plan(17);

-- turn: in seconds of the test's time.
create function turn(p_prefix text, p_at numeric, p_wait interval default '10 s') returns numeric
language sql as $$
  select extract(epoch from sluice.prefix_time(p_prefix, at(p_at), p_wait) - at(0)) $$;
select is(bool_and(turn(p::text, n) >= n and turn(p::text, n) < n + 10), true,
  'it is to come, and soon') from generate_series(1, 20) p, generate_series(0.0, 30, 0.7) n;
select is(count(distinct turn('a', n))::int, 2, 'all that come before it share it')
from generate_series(0.0, 9.99, 0.01) n;
select is(turn('a', turn('a', 0)), turn('a', 0), 'also what comes just then');
select is(turn('a', turn('a', 0) + 0.000001), turn('a', 0) + 10, 'what comes after has the next');
select is(count(distinct turn(p::text, 0))::int, 20, 'prefixes have turns of their own')
from generate_series(1, 20) p;
select is(bool_and(turn(p::text, 0, '10 ms') < 0.01 and turn(p::text, 0, '1 h') < 3600), true,
  'however long they wait') from generate_series(1, 20) p;
select is(turn('a', -5000000000) < -4999999990, true, 'also before 1970');

select is(sluice.prefix_of('k', 'p', null), 'k', 'an affinity key is the prefix');
select is(sluice.prefix_of(null, repeat('ä', 300) || 'x', null),
  repeat('ä', sluice.prefix_chars()), 'else so many characters of the prompt');
select is(sluice.prefix_of(null, 'short', null), 'short', 'or all of it');
select is(sluice.prefix_of(null, null, r.a), sluice.prefix_of(null, null, r.b),
  'of a request what it begins to say to the model: ' || r.a)
from (values
  ('{"temperature": 1, "messages": [{"role": "system"',
    '{"model": "x", "messages": [{"role": "system"'),
  ('{"max_tokens": 9, "system": "s", "messages": []', '{"system": "s", "messages": []'),
  ('{"a": 1, "input": "i"', '{"input": "i"')) r(a, b);
select isnt(sluice.prefix_of(null, null, '{"messages": 1}'),
  sluice.prefix_of(null, null, '{"messages": 2}'), 'which differs');
select is(sluice.prefix_of(null, null, '{"x": 1}'), '{"x": 1}', 'of another one the beginning');
select is(sluice.prefix_of(null, null, '{"x": "' || repeat('y', 4096) || '", "messages": []}'),
  left('{"x": "' || repeat('y', 300), sluice.prefix_chars()), 'far into it nobody looks');
select is(sluice.prefix_of(null, null, null), null, 'of nothing nothing');

select * from finish();
rollback;
