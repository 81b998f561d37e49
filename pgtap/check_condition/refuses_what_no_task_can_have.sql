begin;
\ir ../_helpers.sql
select plan(4);

select lives_ok($$select sluice.check_condition('{"team": "search"}')$$, 'an everyday one');
-- Of the conditions the audit keeps a copy.
select is((error_of(format('select sluice.%s(metadata => ''{"a": 1e131071}'')', f))).code, 'SL004', f || ' takes none that is long as text')
from unnest(array['cancel_all', 'redrive_all', 'forget_all']) f;

select * from finish();
rollback;
