-- sluice.counts_by_ids, sluice.gauge_usage
begin;
\set alone
\ir ../../_helpers.sql
select plan(10);

select given_model() as m, given_model() as b \gset
select id_of(:'m') as id \gset
update sluice.models set max_unfinished = 1000 where name = :'b';
select is(array[sluice.counts_by_ids('system', null),
  sluice.counts_by_ids('model', :'id'), sluice.counts_by_ids('model', id_of(:'b')::text),
  sluice.counts_by_ids('tenant', 't')], '{t,t,f,f}',
    'the system''s does, and a model''s without a bound of its own');
select setval('sluice.load_all', last_value), setval('sluice.load_' || :id, 3)
from sluice.task_id \g /dev/null
select sluice.refresh_gate(true);
select count(given_task(:'m')) from generate_series(1, 3) \g /dev/null
select is(sluice.gauge_usage('sluice.load_all', true), 3::bigint, 'each id is one more');
select is(sluice.counter('load', :id), 3::bigint, 'nothing is drawn for the model');
select given_tasks(:'m', 15) \g /dev/null
select is(sluice.gauge_usage('sluice.load_all', true), 18::bigint, 'nor by submit_many');
select is(sluice.recount_headroom('system', null, 1, 1000, 1), 1, 'a count');
select is(sluice.gauge_usage('sluice.load_all', true), 1 + sluice.count_unfinished('system', null),
  'sets it to what there is, with what it grants');

-- The model's own bound is the settings', of which it takes no more than 95 %: asked once the
-- system's gauge says that.
update sluice.settings set max_unfinished = 20;
select lives_ok(format('select given_task(%L)', :'m'), 'the nineteenth of twenty');
select is((error_of(format('select given_task(%L)', :'m'))).message,
  format('model "%s" is full: 19 of 20 unfinished', :'m'), 'the last');
select lives_ok(format('select given_task(%L)', :'b'), 'is another''s');

select setval('sluice.load_all', last_value + 1) from sluice.task_id \g /dev/null
select is(sluice.gauge_usage('sluice.load_all', true), null,
  'after ids were set back nothing is known');

select * from finish();
rollback;
