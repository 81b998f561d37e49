-- sluice.claim_apart
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as broken \gset
select given_model() as sound \gset
select given_worker() as w \gset
select given_tasks(:'broken', 5), given_tasks(:'sound', 5) \g /dev/null
create function damaged() returns trigger language plpgsql as
$$ begin raise exception 'a damaged index' using errcode = 'index_corrupted'; end $$;
select format('create trigger damage before delete on sluice.%I for each row '
  'execute function damaged()', 'queue_' || sluice.line_name(own_line(:'broken'))) \gexec

select throws_ok(format('select * from sluice.claim(%s, null, 10, at(1))', :w), 'XX002', null,
  'usually one error ends a claim');
select set_config('sluice.claims_apart', 'on', true) \g /dev/null
select results_eq(format('select model, count(*) from sluice.claim(%s, null, 4, at(1)) group by 1',
  :w), format('values (%L, 4::bigint)', :'sound'), 'apart the other model gives its tasks');
select results_eq(format('select model, count(*)
  from sluice.claim_within(%s, %L, ''{9,9}'', 9, at(2)) group by 1', :w,
    array[:'broken', :'sound']), format('values (%L, 1::bigint)', :'sound'), 'with limits, too');
select is(cardinality(queued(:'broken')), 5, 'no task is lost');
select is(sluice.in_flight(id_of(:'broken')), 0::bigint, 'nor counted as called');

select * from finish();
rollback;
