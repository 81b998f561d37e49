begin;
\set alone
\ir ../_helpers.sql
select plan(10);

set local role sluice_admin;
select 'admins-' || pg_backend_pid() as m \gset
select lives_ok(format('insert into sluice.models (name, url) values (%L, ''http://h'')', :'m'),
  'a new model');
select lives_ok(format('update sluice.models set rpm = 600 where name = %L', :'m'), 'a new limit');
select lives_ok(format('insert into sluice.routes (route, model) values (%L, %L)', 'route-' || :'m',
  :'m'), 'a route');
select lives_ok('update sluice.settings set retention = ''1 day''', 'a setting');
select lives_ok(format('select sluice.pause(%1$L), sluice.resume(%1$L), sluice.close_model(%1$L, '
                       'now()), sluice.tick()', :'m'),
  'control');
select lives_ok('select * from sluice.queues, sluice.tasks', 'the views');
select lives_ok(format('delete from sluice.models where name = %L', :'m'), 'and away with it');
select throws_ok(c, '42501', null, c || ' is not for it')
from unnest(array['delete from sluice.task', 'drop table sluice.queue',
  'select sluice.drop_model(1, ''m'')']) c;

select * from finish();
rollback;
