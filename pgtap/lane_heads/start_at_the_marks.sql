begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select 'backlog_' || id_of(:'m') as line \gset
select given_tasks(:'m', 3, at(0)) \g /dev/null
select given_lanes(:'line', 0) \g /dev/null
select id as lane from sluice.lane where line = :'line' \gset
select is((select ready_at from sluice.lane_heads(:'line', 9, null, null, null)), at(0), 'no mark: from the start');
select is(sluice.mark(:lane), '-infinity', 'a look moves nothing');
select sluice.lane_heads(:'line', 9, null, null, at(10)) \g /dev/null
select is(sluice.mark(:lane), at(0) - interval '1 microsecond', 'a round moves the mark up to the first row');
delete from sluice.backlog where model = id_of(:'m');
select sluice.lane_heads(:'line', 9, null, null, at(10)) \g /dev/null
select is(sluice.mark(:lane), at(10) - sluice.mark_lag(), 'of an empty lane up to the lag');
select given_task(:'m', p_now => at(9.5)) \g /dev/null
select is_empty(format('select * from sluice.lane_heads(%L, 9, null, null, null)', :'line'), 'what lies below is not walked');

select * from finish();
rollback;
