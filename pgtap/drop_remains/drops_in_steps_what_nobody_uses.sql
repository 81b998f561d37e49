begin;
\set alone
\ir ../_helpers.sql
\ir ../_upgrade.sql
select plan(9);

select is(sluice.drop_remains(), 0, 'a new database has none');
select given_remains(), id_of(given_model()) as m \gset
set local role sluice_owner;
select format('create unlogged sequence sluice.room_%s', n) from generate_series(2000000000, 2000000600) n \gexec
insert into sluice.remains select format('drop sequence if exists sluice.room_%s', n) from generate_series(2000000000, 2000000601) n;
select format('create procedure sluice.put_%s(sluice.arrival) language plpgsql as ''begin end''', :m) \gexec
insert into sluice.remains values (format('drop routine if exists sluice.put_%s(sluice.arrival)', :m));
reset role;
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, tenant)
values (-1, at(1), :m, 1, 0, 0, 0, true, 'default');
update sluice.function_set set applied_at = clock_timestamp();
select is(sluice.drop_remains(), 0, 'not while a call of before may be under way');
update sluice.function_set set applied_at = applied_at - interval '2 minutes';
select cmp_ok(sluice.drop_remains(), '<=', 500, 'some');
do $$ begin while sluice.drop_remains() > 0 loop end loop; end $$;
select results_eq('select statement from sluice.remains', array['select sluice.drop_backlog()'], 'after some rounds all that was models''');
select is(sluice.has_moves(), true, 'what waits is not dropped');
select sluice.move_backlog(at(2)), sluice.drop_remains() \g /dev/null
select hasnt_table('sluice', 'remains', 'until it is moved');
select hasnt_table('sluice', 'backlog', 'its table is gone');
select hasnt_column('sluice', 'rung', 'model', 'also what was rung for by models');
select is(places(-1), 'queue', 'the task is not');

select * from finish();
rollback;
