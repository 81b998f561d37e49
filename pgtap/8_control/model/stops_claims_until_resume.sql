begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select sluice.pause(:'m');
select is((model_row(:'m')).paused, true, 'paused');
select is(claimed(:w, 1), '{}', 'nothing is claimed');
select sluice.resume(:'m');
select is(claimed(:w, 1), array[:t]::bigint[], 'resumed, it is');
select is(completed(:w, told(:t, 'solved')), true, 'calls under way end normally');
select is((error_of($$select sluice.pause('nobody')$$)).code, 'SL001', 'an unknown model is SL001');
select is((error_of('select sluice.pause(null)')).code, 'SL001', 'and so is none');

select * from finish();
rollback;
