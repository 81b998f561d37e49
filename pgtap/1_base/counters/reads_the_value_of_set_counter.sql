begin;
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
select lives_ok(format('select sluice.set_counter(%L, %s, 12345)', k, id_of(:'m')), 'set ' || k)
from unnest(array['bucket', 'load', 'claimed', 'ended']) k;
select is(sluice.counter(k, id_of(:'m')), 12345::bigint, k || ' reads what was written')
from unnest(array['bucket', 'load', 'claimed', 'ended']) k;

select * from finish();
rollback;
