begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select sluice.configure_route('r', jsonb_build_object(:'m', 1));
select lives_ok(format('select sluice.require_api(%L, %L)', :'m', 'solve'), 'its own');
select throws_ok(format('select sluice.require_api(%L, %L)', :'m', 'openai-chat'), 'SL001',
  null, 'another');
select lives_ok($$select sluice.require_api('r', 'solve')$$, 'a route''s');
select throws_ok($$select sluice.require_api('r', 'openai-chat')$$, 'SL001', null,
  'not a route''s');
select given_model() as chat \gset
update sluice.models set api = 'openai-chat' where name = :'chat';
select alike((error_of($$select sluice.require_api('r', 'openai-chat')$$)).hint,
  '%It is spoken by %' || :'chat' || '%', 'and says which do');
select is((error_of($$select sluice.require_api('r', 'openai-chat')$$)).message,
  'a model of route "r" speaks solve, not openai-chat', 'it is a route''s model that does not');
select lives_ok($$select sluice.require_api('nobody', 'openai-chat')$$, 'submit knows names');

select * from finish();
rollback;
