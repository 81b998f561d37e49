begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
insert into sluice.payload_schema (target, version) values (:'m', 'v');
select is(sluice.unserved_versions(:'m', at(1)), null, 'nothing waits');
select sluice.submit('x', :'m', schema_version => 'v', p_now => at(0)) \g /dev/null
select is(sluice.unserved_versions(:'m', at(1)), '{v}', 'a version without a worker');
select given_worker(array[:'m']) \g /dev/null
select is(sluice.unserved_versions(:'m', at(1)), null, 'a worker of all serves it');

select * from finish();
rollback;
