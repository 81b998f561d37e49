-- sluice.end_solved
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 2) \g /dev/null
select claimed(:w, 2) as ids \gset
-- So that note_health is asked.
select nextval('sluice.failures_' || id_of(:'m')) \g /dev/null
create or replace function sluice.note_health(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz)
returns void language plpgsql as $$ begin raise exception 'no'; end $$;
select throws_ok(
  format('select sluice.complete(%s, array(select told(t, ''solved'') '
         'from unnest(%L::bigint[]) t), at(2))', :w, :'ids'), 'P0001');
select is(sluice.in_flight(id_of(:'m')), 2::bigint, 'what has been undone has not been counted');

select * from finish();
rollback;
