begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
insert into sluice.payload_schema (target, version) values (:'r', 'v');
select sluice.submit('x', :'r', affinity_key => 'k', p_now => at(0)) \g /dev/null
select sluice.wake(at(0)) \g /dev/null
select sluice.submit('x', :'r', p_now => at(0)) as t \gset
select is((select line from sluice.find_place(:t, null, :'r')), own_line(:'r'),
  'whatever other lines the route has');
select is((sluice.task(:t)).schema_version, null, 'and gets no version by that');

select * from finish();
rollback;
