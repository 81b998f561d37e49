begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(rpm => 60, burst => 2) as limited \gset
select given_model(max_in_flight => 1) as narrow \gset
select given_model() as paused \gset
update sluice.models set paused = true where name = :'paused';
select given_worker(array[:'limited', :'narrow', :'paused']) as w \gset
select given_tasks(m, 5, priority => 5)
from unnest(array[:'limited', :'narrow', :'paused']) m \g /dev/null
create function urgent(p_worker bigint, p_model text) returns bigint language sql
as $$ select count(*) from sluice.claim_urgent(p_worker, array[p_model], 10, at(1)) $$;
select is(urgent(:w, :'limited'), 2::bigint, 'no more than there are permits');
select is(urgent(:w, :'limited'), 0::bigint, 'which are taken');
select is(urgent(:w, :'narrow'), 1::bigint, 'no more calls than the fleet may have');
select is(urgent(:w, :'paused'), 0::bigint, 'none of a paused model');
select throws_ok('select * from sluice.claim_urgent(1, null, 1, at(1))', 'SL010');

select * from finish();
rollback;
