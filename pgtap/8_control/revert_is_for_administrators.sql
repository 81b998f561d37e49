begin;
\ir ../_helpers.sql
select plan(2);

select is(has_function_privilege(r, 'sluice.revert(bigint, boolean)', 'execute'), false, r)
from unnest(array['sluice_reader', 'sluice_submitter']) r;

select * from finish();
rollback;
