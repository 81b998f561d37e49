-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as paused \gset
select given_model() as closed \gset
select given_worker() as w \gset
select given_task(:'paused') as p \gset
select given_task(:'closed') as c \gset
select sluice.pause(:'paused'), sluice.close_model(:'closed', at(10)) \g /dev/null
select is(claimed(:w, 10, at(9)), '{}', 'neither a paused nor a closed model gives');
select is(claimed(:w, 10, at(10)), array[:c]::bigint[], 'a closure ends at its time');
select sluice.resume(:'paused');
select is(claimed(:w, 10, at(10)), array[:p]::bigint[], 'a pause when it is resumed');

select * from finish();
rollback;
