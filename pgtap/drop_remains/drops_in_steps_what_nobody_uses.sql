begin;
\set alone
\ir ../_helpers.sql
\ir ../has_remains/_helpers.sql
select plan(8);

select is(sluice.drop_remains(), 0, 'a new database has none');
select given_remains(), id_of(given_model()) as m \gset
select format('create unlogged sequence sluice.room_%s', n) from generate_series(2000000000, 2000000600) n \gexec
select format('create procedure sluice.put_%s(sluice.arrival) language plpgsql as ''begin end''', :m) \gexec
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, tenant)
values (-1, at(1), :m, 1, 0, 0, 0, true, 'default');
update sluice.function_set set applied_at = clock_timestamp();
select is(sluice.drop_remains(), 0, 'not while a call of before may be under way');
update sluice.function_set set applied_at = applied_at - interval '2 minutes';
select cmp_ok(sluice.drop_remains(), '<=', 500, 'some');
do $$ begin while sluice.drop_remains() > 0 loop end loop; end $$;
select is_empty('select sluice.remains_of_lines(100)', 'after some rounds all that was models''');
select is(sluice.has_remains(), true, 'what waits is not dropped');
select sluice.move_backlog(at(2)), sluice.drop_remains() \g /dev/null
select is(sluice.has_remains(), false, 'until it is moved');
select hasnt_table('sluice', 'backlog', 'its table is gone');
select is(places(-1), 'queue', 'the task is not');

select * from finish();
rollback;
