begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m, given_model() as other \gset
create function serves(p_models text[], p_apis text[]) returns boolean language sql
as $$ select sluice.serves(jsonb_populate_record(null::sluice.worker,
  jsonb_build_object('models', p_models, 'apis', p_apis)), m)
      from sluice.models m order by id desc offset 1 limit 1 $$;
select ok(serves(null, null), 'who names none serves all');
select ok(serves(array[:'m', 'x'], '{solve}'), 'who names it, and speaks its api');
select ok(not serves(array[:'other'], null), 'not who names others');
select ok(not serves(null, '{openai-chat}'), 'nor who speaks another api');

select * from finish();
rollback;
