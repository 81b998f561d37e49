begin;
\ir ../../_helpers.sql
select plan(4);

create function refusal(p_sql text, out code text, out message text, out key text, out hint text)
  language plpgsql
as $$
begin
  execute p_sql;
exception when others then
  get stacked diagnostics code = returned_sqlstate, message = message_text, key = column_name,
    hint = pg_exception_hint;
end
$$;
select code, message, key, hint from refusal('select sluice.refuse_unknown(''x'')') \gset
select is(:'code'::text || ' ' || :'message'::text, 'SL001 there is no model or route "x"',
  'it refuses');
select is(:'key'::text, 'model', 'the argument');
select is(:'hint'::text, sluice.names_text(), 'and says what there is');
select matches((refusal('select sluice.refuse_unknown(''any'', ''c'')'))::text,
  ',c,.*Insert a model', 'of "any" how it comes to be');

select * from finish();
rollback;
