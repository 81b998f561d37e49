begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
insert into sluice.payload_schema (target, version) values (:'m', 'v');
select is(sluice.unserved_versions(:'m', at(1)), null, 'nothing waits');
select sluice.submit('x', :'m', schema_version => 'v', p_now => at(0)) \g /dev/null
select is(sluice.unserved_versions(:'m', at(1)), '{v}', 'a version without a worker');
select given_worker(array[:'m']) \g /dev/null
select is(sluice.unserved_versions(:'m', at(1)), null, 'a worker of all serves it');

-- Of a route: one of its models suffices.
select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
insert into sluice.payload_schema (target, version) values (:'r', 'v');
select sluice.submit('x', :'r', schema_version => 'v', p_now => at(0)) \g /dev/null
select is(sluice.unserved_versions(:'a', at(1)), '{v}', 'none of a route''s models has a worker');
select given_worker(array[:'b']) \g /dev/null
select is(sluice.unserved_versions(:'b', at(1)), null, 'one of them has');
select is(sluice.unserved_versions(:'a', at(1)), null, 'so the other''s workers need not');

select * from finish();
rollback;
