begin;
\ir ../../_helpers.sql
select plan(4);

select is(sluice.array_in('{"a": 1, "b": {"c": {}, "d": "[]"}}'), null, 'there is none');
select is(sluice.array_in('{"a": {"b": {"c": []}}}'), 'metadata.a.b.c', 'deep down');
select is(sluice.array_in('[1]'), 'metadata', 'the value itself');
select is(sluice.array_in('{"b": [], "a": []}'), 'metadata.a', 'the first of two');

select * from finish();
rollback;
