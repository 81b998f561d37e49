-- sluice.submit_bodies
begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

select given_model() as m, given_model() as other \gset
create function posted(p_model text, p_key text) returns text language sql
as $$ select coalesce(code, id::text) from sluice.submit_each(
  array[jsonb_build_object('prompt', 'x', 'model', p_model)::text], array[null], array[p_key],
    p_now => at(0)) $$;
select posted(:'m', 'a') as a, posted(:'other', 'b') as b \gset
update sluice.models set max_unfinished = 1 where name = :'m';
select is(posted(:'m', 'a'), :'a', 'a model at critical pressure');
select is(posted(:'m', 'new'), 'SL003', 'which takes nothing new');
update sluice.settings set max_unfinished = 1;
select is(posted(:'other', 'b'), :'b', 'the system at critical pressure');
select is(posted(:'other', 'new'), 'SL003', 'which takes nothing new');
select is(s.id, :a::bigint, 'in an array') from sluice.submit_array(
  format('[{"prompt": "x", "model": "%s", "idempotency_key": "a"}]', :'m'), null, null,
    p_now => at(0)) s(id);

select * from finish();
rollback;
