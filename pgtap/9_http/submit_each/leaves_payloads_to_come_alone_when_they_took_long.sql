begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
insert into sluice.payload_schema (target, version, schema)
values (:'m', '1', '{"type": "string"}');

-- bodies: a task with a version beside two without, of which one is at fault.
create function codes(p_model text) returns text[] language sql
as $$ select array_agg(coalesce(e.code, 'ok') order by e.place) from sluice.submit_each(array[
    format('{"prompt": "x", "model": "%s"}', p_model), '{"prompt": 1}',
    format('{"prompt": "x", "model": "%s", "schema\u005fversion": "1"}', p_model)],
  array_fill(null::text, array[3]), array_fill(null::text, array[3]), p_now => at(0)) e $$;

select is(codes(:'m'), '{ok,SL004,ok}', 'each by itself');
create or replace function sluice.check_time() returns interval language sql immutable
as $$ select interval '-1 hour' $$;
select is(codes(:'m'), '{ok,SL004,55P03}', 'one whose payload is to be checked later');
select is((error_of(format('select * from sluice.submit_array(%L, null, null)', format(
    '[{"prompt": "x", "model": "%s", "schema_version": "1"}]', :'m')))).code, null::text,
  'an array has bounds of its own');
select is(sluice.places_with('a', '{3,1,2}', array['{}', '{"a": 1}', '{}'],
    array[null, null, 'x']), '{3,2}',
  'places_with: in the body or beside it');

select * from finish();
rollback;
