begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
create or replace function sluice.refusals_time() returns interval language sql immutable
as $$ select interval '-1 hour' $$;

-- codes: of tasks with these prompts.
create function codes(p_model text, variadic p_prompts jsonb[]) returns text[] language sql
as $$ select array_agg(coalesce(e.code, 'ok') order by e.place) from sluice.submit_each(
    array(select jsonb_build_object('prompt', p, 'model', p_model)::text from unnest(p_prompts) p),
    array_fill(null::text, array[cardinality(p_prompts)]),
    array_fill(null::text, array[cardinality(p_prompts)]), p_now => at(0)) e $$;

select is(codes(:'m', '"x"', '1', '"y"'), '{55P03,55P03,55P03}', 'when some are refused');
select is((select count(*) from sluice.tasks where model = :'m'), 0::bigint, 'none is stored');
select is(codes(:'m', '"x"', '"y"'), '{ok,ok}', 'however long it takes if none is');
select is(codes(:'m', '1'), '{SL004}', 'one that is alone is answered');
select is(sluice.places_with('a', '{3,1,2}', array['{}', '{"a": 1}', '{}'],
    array[null, null, 'x']), '{3,2}',
  'places_with: in the body or beside it');

select * from finish();
rollback;
