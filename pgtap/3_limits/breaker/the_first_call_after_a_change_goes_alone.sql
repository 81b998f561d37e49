-- sluice.probes_now
begin;
\ir ../../_helpers.sql
select plan(14);


select given_model() as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select given_tasks(:'m', 20) as ids \gset
select cardinality(claimed(:w, 2, at(1))) \g /dev/null
update sluice.models set rpm = 60000, timeout = '1 minute' where name = :'m';
update sluice.models set rpm = null where name = :'m';
select is(cardinality(claimed(:w, 2, at(2))), 2, 'a change of other settings holds up nothing');
update sluice.models set url = 'http://127.0.0.1:2' where name = :'m';
select is(claimed(:w, 5, at(10)), '{}', 'not before all workers know the new url');
select is(sluice.probe_at(model_row(:'m'), at(10)), at(10.3), 'it says when');
select is((select wake_at from sluice.next_work(array[:id], at(10))), at(10.3),
  'and so does next_work');
select is(cardinality(claimed(:w, 5, at(11))), 1, 'then one call');
select is(claimed(:w, 5, at(12)), '{}', 'alone');
select completed(:w, told((:'ids'::bigint[])[1], 'solved', answer => 'of the old url'),
  at(12)) \g /dev/null
select is(claimed(:w, 5, at(13)), '{}', 'an answer of the old url proves nothing');
select completed(:w, refused((:'ids'::bigint[])[5]), at(14)) \g /dev/null
select is(cardinality(claimed(:w, 5, at(15))), 1, 'a refusal neither: another call goes alone');
update sluice.models set api = 'openai-chat' where name = :'m';
select is(claimed(:w, 5, at(20)), '{}', 'another api, another probe');
select is(cardinality(claimed(:w, 5, at(21))), 1, 'though the last one has not ended');
select completed(:w, told((:'ids'::bigint[])[6], 'solved', answer => 'of the old api'),
  at(22)) \g /dev/null
select is((select state from sluice.breaker where model = :id), 'half_open',
  'which proves nothing now');
select completed(:w, told((:'ids'::bigint[])[7], 'solved', answer => 'a'), at(23)) \g /dev/null
select is((select state from sluice.breaker where model = :id), 'closed', 'one success is enough');
select is(cardinality(claimed(:w, 5, at(24))), 5, 'then all go');
select is((select string_agg(to_state, ' ' order by id) from sluice.breaker_event
  where model = :id), 'half_open closed', 'the history tells');

select * from finish();
rollback;
