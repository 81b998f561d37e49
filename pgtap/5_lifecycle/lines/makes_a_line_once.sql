begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
create function made(p_route text, p_api text) returns int
  language sql security definer as $$ select sluice.make_route_line(p_route, p_api) $$;
alter function made owner to sluice_owner;
grant usage on schema :test_schema to sluice_owner;
select is(made(:'r', null), own_line(:'r'), 'the one that is there');
select made(:'r', 'openai-chat') as line \gset
select is(made(:'r', 'openai-chat'), :line, 'a new one, once');
create function tried(p_route text, p_api text) returns int language sql security definer
  as $$ select sluice.try_make_route_line(p_route, p_api, null, null) $$;
alter function tried owner to sluice_owner;
select is(tried(:'r', 'openai-chat'), :line, 'as for who does not wait long');

select * from finish();
rollback;
