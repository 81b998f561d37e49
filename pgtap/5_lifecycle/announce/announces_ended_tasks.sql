begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 2) \g /dev/null
select ids[1] as solved, ids[2] as again from claimed(:w, 2) ids \gset
select given_task(:'m') as cancelled \gset
select sluice.cancel(:cancelled) \g /dev/null
update sluice.settings set events = true;
select results_eq(format($$select applied
    from sluice.complete(%s, array[told(%s, 'solved'), told(%s, 'retry')])$$, :w, :solved, :again),
  'values (true), (true)', 'a completion');
select is(sluice.announce(array[:solved, :again, :cancelled, -1]::bigint[]), 2,
  'what ended, however; not what goes on');
select is(current_setting('lock_timeout'), '100ms', 'it waits for no others'' notifications');
select is(sluice.announce('{}'), 0, 'none of none');
update sluice.settings set events = false;
select is(sluice.announce(array[:solved]::bigint[]), 0, 'and nothing when nobody wants events');

select * from finish();
rollback;
