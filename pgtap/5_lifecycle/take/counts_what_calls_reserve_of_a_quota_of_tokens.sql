-- sluice.turns_as_reserved
-- The attack: short requests that ask for long answers. Their tenant had a turn for each request of
-- the other's, and each used up the model's tokens of ten seconds.
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model(tpm => 60000) as m, given_tenant() as evil, given_tenant() as good \gset
select given_worker(array[:'m']) as w \gset
select count(given_task(:'m', tenant => :'evil', prompt => repeat('x', 300),
    max_output_tokens => 10000)),
  count(given_task(:'m', tenant => :'good', prompt => repeat('x', 300), max_output_tokens => 100))
from generate_series(1, 300) \g /dev/null
-- three minutes of claims
select count(*) from generate_series(1, 180) n
cross join lateral (select count(*) from sluice.claim(:w, null, 20, at(n)) offset 0) c \g /dev/null
-- calls: how many calls of a tenant have begun.
create function calls(p_tenant text) returns bigint language sql
as $$ select count(*) from sluice.lease where tenant = p_tenant $$;
select is(calls(:'good'), 300::bigint, 'one that asks for little has all of its calls');
select cmp_ok(calls(:'evil'), '>', 10::bigint, 'the other what they leave of the tokens');

select * from finish();
rollback;
