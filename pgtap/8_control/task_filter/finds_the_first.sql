begin;
\ir ../../_helpers.sql
select plan(4);

select is(sluice.array_in('v', '{"a": 1, "b": {"c": {}, "d": "[]"}}'), null, 'there is none');
select is(sluice.array_in('v', '{"a": {"b": {"c": []}}}'), 'v.a.b.c', 'deep down');
select is(sluice.array_in('v', '[1]'), 'v', 'the value itself');
select is(sluice.array_in('v', '{"b": [], "a": []}'), 'v.a', 'the first of two');

select * from finish();
rollback;
