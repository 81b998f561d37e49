begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
update sluice.models set max_unfinished = 1000 where name = :'m';
select given_task(:'m') \g /dev/null
update sluice.settings set max_unfinished = sluice.count_unfinished('system', null);
select setval('sluice.load_all', last_value) from sluice.task_id \g /dev/null
select sluice.refresh_gate(true);
select lives_ok(format('select given_task(%L)', :'m'),
  'nothing is counted while the gauge says yes');
select setval('sluice.load_all', sluice.gauge_unknown()) \g /dev/null
update sluice.settings set max_unfinished = sluice.count_unfinished('system', null) + 1;
select format('select sluice.accept(''system'', null, 1, %s, 1, %L)', s.max_unfinished,
  at(1)) as one_more from sluice.settings s \gset
select lives_ok(:'one_more', 'the gauge says no, the count says yes');
select given_row(:'m', at(0), nextval('sluice.task_id')) \g /dev/null
select is((error_of(:'one_more')).code, 'SL003', 'both say no');

select * from finish();
rollback;
