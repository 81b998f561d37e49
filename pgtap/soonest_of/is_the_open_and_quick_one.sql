begin;
\ir ../_helpers.sql
select plan(2);

select given_model(rpm => 60) as slow, given_model(rpm => 600) as quick \gset
select given_route(:'slow', :'quick') as r \gset
select is((sluice.soonest_of(:'r', at(0))).name, :'quick', 'the quick one');
update sluice.models set paused = true where name = :'quick';
select is((sluice.soonest_of(:'r', at(0))).name, :'slow', 'unless it is paused');

select * from finish();
rollback;
