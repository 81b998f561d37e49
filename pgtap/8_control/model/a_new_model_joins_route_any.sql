-- sluice.after_model_changes
begin;
\ir ../../_helpers.sql
select plan(2);

insert into sluice.models (name, url, api) select format('%s-%s', api, pg_backend_pid()),
  'http://h', api
from unnest(array['solve', 'openai-chat', 'openai-embeddings']) api;
select set_eq(
  format('select model from sluice.routes where route = ''any'' and model like %L',
    '%-' || pg_backend_pid()),
  array['solve-' || pg_backend_pid(), 'openai-chat-' || pg_backend_pid()],
  'those whose api answers a prompt join; embeddings do not');
delete from sluice.models where name = 'solve-' || pg_backend_pid();
select is_empty(format('select * from sluice.routes where model = %L',
  'solve-' || pg_backend_pid()), 'a deleted model leaves its routes');

select * from finish();
rollback;
