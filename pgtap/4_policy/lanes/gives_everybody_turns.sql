begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(1);

select given_model() as m \gset
select is((sluice.without_end(array[round_at(:'m', 3, 1, 2)]))[1].ends, 'infinity'::float8,
  'for ever');

select * from finish();
rollback;
