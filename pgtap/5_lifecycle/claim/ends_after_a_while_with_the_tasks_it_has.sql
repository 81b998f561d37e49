begin;
\ir ../../_helpers.sql
select plan(4);

-- Models that are long to ask may not keep the others waiting behind one claim of all.
select given_model() as a, given_model() as b \gset
select given_worker(array[:'a', :'b'], clock_timestamp()) as w \gset
select sluice.submit('question', m) from unnest(array[:'a', :'b']) m,
  generate_series(1, 2) \g /dev/null
create or replace function sluice.claim_long(p_found interval)
returns interval language sql immutable as $$ select interval '-1 second' $$;
select model as first, count(*) as tasks from sluice.claim_within(:w, array[:'a', :'b'],
  array[9, 9], 4) group by model \gset
select is(:tasks::bigint, 2::bigint, 'what the first model has');
create function sluice_test_other(p_worker bigint, p_models text[]) returns text language sql as
  $$ select string_agg(distinct model, ', ') from sluice.claim_within(p_worker, p_models,
    array[9, 9], 4) $$;
select is(sluice_test_other(:w, array[:'a', :'b']), case :'first' when :'a' then :'b' else :'a' end,
  'the next claim gives the other''s');
select is_empty(format('select * from sluice.claim_within(%s, array[%L, %L], array[9, 9], 4)', :w,
  :'a', :'b'), 'and then there are none');
select sluice.submit('question', m) from unnest(array[:'a', :'b']) m \g /dev/null
select is((select count(distinct model) from sluice.claim_within(:w, array[:'a', :'b'], array[9, 9],
  4, clock_timestamp())), 2::bigint,
  'a claim of a time that is given asks all: it does not go by the clock');

select * from finish();
rollback;
