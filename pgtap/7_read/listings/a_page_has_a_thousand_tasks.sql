begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select (given_tasks(:'m', 1005))[1] as first \gset
select is(count(*), 1000::bigint, 'a thousand at most')
from sluice.list_tasks(:first, model => :'m');
select is(min(id), :first::bigint + 5, 'the newest')
from sluice.list_tasks(:first, model => :'m', before => :first + 1005);

select * from finish();
rollback;
