begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(7);

select given_speaker() as m, given_speaker('anthropic-messages') as a \gset
create function ids_of(p_list json) returns bigint[] language sql
as $$ select array(select substring(e ->> 'id' from '[0-9]+')::bigint
  from json_array_elements(p_list -> 'data') e) $$;
create temporary table made as select n, given_batch(:'m', 1, 't') as b,
  message_batch(:'a', 1, 't') as mb from generate_series(1, 5) n;
create function nth(p_n int) returns bigint language sql as $$ select b from made where n = p_n $$;
select is(ids_of(sluice.list_batches('t', false, null, null, 2)), array[nth(5), nth(4)],
  'the newest first');
select is(ids_of(sluice.list_batches('t', false, nth(4), null, 2)), array[nth(3), nth(2)],
  'after them');
select is(ids_of(sluice.list_batches('t', false, null, nth(2), 2)), array[nth(4), nth(3)],
  'before one: next to it, newest first');
select is(ids_of(sluice.list_batches('t', false, nth(5), nth(1), 9)), array[nth(4), nth(3), nth(2)],
  'between two');
select is(array(select sluice.list_batches('t', false, nth(n), null, 2) ->> 'has_more'
  from unnest(array[4, 3]) n), array['true', 'false'], 'and whether there are more after them');
select is(array(select sluice.list_batches('t', false, null, nth(n), 2) ->> 'has_more'
  from unnest(array[2, 3]) n), array['true', 'false'], 'or before');
select is(ids_of(sluice.list_batches('t', true, null, null, 9)),
  array(select mb from made order by n desc), 'each api has its own');

select * from finish();
rollback;
