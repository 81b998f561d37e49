begin;
\ir ../../_helpers.sql
select plan(1);

select sluice.configure('models', 'noted', '{"rpm": 1}', false),
  sluice.configure('models', 'noted', '{"url": "http://h"}', true),
  sluice.configure('models', 'noted', '{"rpm": 1}', false),
    sluice.configure_route('noted route', '{"noted": 1}') \g /dev/null
select results_eq($$select action, object, detail from sluice.audit where object like 'noted%'
  order by id$$,
  $$values ('replace models', 'noted', '{"url": "http://h"}'::jsonb),
    ('change models', 'noted', '{"rpm": 1}'),
    ('configure_route', 'noted route', '{"noted": 1}')$$, 'by whom it was called');

select * from finish();
rollback;
