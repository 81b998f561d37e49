begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(1);

select given_model() as m \gset
select sluice.note_round(round_at(:'m', 3, 1, 2, 4, 5), 7, 10, 20) \g /dev/null
select results_eq(format('select next, begins, ends, passed, taken from sluice.lane_round '
                         'where line = %s', id_of(:'m')),
  $$values (7::bigint, 1::float8, 2::float8, 14, 25)$$,
    'where it goes on, and what it gave so far');

select * from finish();
rollback;
