begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select sluice.submit('x', :'m', tenant => 'a', metadata => '{"team": "a", "n": 1}', batch_id => 7,
  p_now => at(0)) as t \gset
create function meant(
  tenant text default null, metadata jsonb default null, batch_id bigint default null,
    since timestamptz default null,
  until timestamptz default null,
    task bigint default currval('sluice.task_id')) returns boolean language sql
as $$
  select sluice.is_meant(sluice.task_filter_of(null, meant.tenant, meant.metadata, meant.batch_id,
    meant.since, meant.until), t, at(5))
  from sluice.task t where t.id = meant.task
$$;
select is(meant(), true, 'no condition');
select is(meant(tenant => 'a', metadata => '{"team": "a"}', batch_id => 7, since => at(5),
  until => at(6)), true, 'all of them');
select is(meant(tenant => 'b', batch_id => 7), false, 'another tenant');
select is(meant(metadata => '{"team": "b"}', batch_id => 7), false, 'other metadata');
select is(meant(batch_id => 8), false, 'another batch');
select is(meant(since => at(5.1)), false, 'too early');
select is(meant(until => at(5)), false, 'too late');

select * from finish();
rollback;
