begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(tpm => 1000) as m \gset
create function checked(p_item text) returns text language sql as
  $$ select format('select sluice.read_drafts(%L, at(0))', jsonb_build_array(p_item::jsonb)) $$;
select lives_ok(checked(format('{"prompt": "x", "model": "%s"}', :'m')), 'a small one');
select is((error_of(checked(format('{"prompt": "x", "model": "%s", "max_output_tokens": 2000}',
  :'m')))).code, 'SL002', 'an answer too long');
select is((error_of(checked(jsonb_build_object('request',
  jsonb_build_object('a', repeat('x', 9000))::text, 'model', :'m')::text))).code,
  'SL002', 'a request too long');

select * from finish();
rollback;
