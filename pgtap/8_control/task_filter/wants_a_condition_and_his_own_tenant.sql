begin;
\ir ../../_helpers.sql
select plan(4);

select given_tenant('sluice_submitter') as tenant \gset
select code, message
from error_of('select sluice.check_filter(sluice.task_filter_of(null, null, null, null, null, '
              'null), ''f'')') \gset
select is(:'code'::text, 'SL004', 'no condition');
select matches(:'message'::text, '^f without any condition', 'and who asked');
select lives_ok('select sluice.check_filter(sluice.task_filter_of(null, null, null, null, null, '
                'now()), ''f'')', 'a time is one');
select is((error_of(format('select sluice.check_filter(sluice.task_filter_of(null, %L, null, null, '
                           'null, null), ''f'')', :'tenant'))).code,
  case when sluice.may_act_for(:'tenant') then null else 'SL009' end, 'a tenant must be his');

select * from finish();
rollback;
