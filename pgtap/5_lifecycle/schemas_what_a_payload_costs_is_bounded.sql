begin;
\ir ../_helpers.sql
select plan(10);

-- fault_of, steps_of: what schema_fault says, and how many steps it took.
create function fault_of(p_schema jsonb, p_value jsonb) returns text language sql
as $$ select (sluice.schema_fault(p_schema, p_value, '$', sluice.schema_steps_max())).fault $$;
create function steps_of(p_schema jsonb, p_value jsonb) returns int language sql
as $$ select 1000000 - (sluice.schema_fault(p_schema, p_value, '$', 1000000)).steps $$;

select is(sluice.schema_steps('true', '1'), 1, 'a value is a step');
select matches(fault_of('{"items": {"minimum": 0}}', (select jsonb_agg(n)
  from generate_series(1, sluice.schema_steps_max()) n)), 'more than 10000 values',
  'so many values');
select is(steps_of('{"anyOf": [false, false, true]}', '1'), 4, 'each part is a step');
select is(steps_of('{"items": {"type": "number"}}', '[1, 2, 3]'), 4, 'so is each value');
select cmp_ok(steps_of('{"maxLength": 5000000}', to_jsonb(repeat('x', 4000000))), '>', 30,
  'a large one takes more');
select cmp_ok(steps_of((select jsonb_build_object('enum', jsonb_agg(n))
  from generate_series(1, 1000) n), '1'), '>', 40, 'a long enum, too');
select cmp_ok(steps_of('{"pattern": "(a|b){50}c", "maxLength": 1000}', to_jsonb(repeat('ab', 400))),
  '>', 50, 'and a pattern');
select cmp_ok(steps_of('{"items": true}', (select jsonb_agg(n) from generate_series(1, 1000) n)),
  '>', 1040, 'many items are listed before they are checked');
select cmp_ok(steps_of('{"properties": {}}', (select jsonb_object_agg(n, n)
  from generate_series(1, 1000) n)), '>', 40, 'so are properties that no schema knows');
select cmp_ok(steps_of((select jsonb_build_object('anyOf', jsonb_build_array(true,
    jsonb_build_object('required', jsonb_agg(n::text)))) from generate_series(1, 1000) n), '{}'),
  '>', 40, 'and each of many required ones is looked for');

select * from finish();
rollback;
