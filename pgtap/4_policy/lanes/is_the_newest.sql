begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(2);

select given_model() as m \gset
select is((sluice.round_of(id_of(:'m'), id_of(:'m'))).line, null, 'none yet');
select sluice.note_round(round_at(:'m', 0), 7), sluice.note_round(round_at(:'m', 7), 9) \g /dev/null
select is((sluice.round_of(id_of(:'m'), id_of(:'m'))).next, 9::bigint, 'the last one');

select * from finish();
rollback;
