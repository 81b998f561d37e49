-- sluice.keep_name, sluice.lock_name, sluice.follow_name
begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_route(:'m') as r \gset
select is(array[sluice.keep_name(:'m'), sluice.keep_name(:'m', 'model'),
  sluice.keep_name(:'m', 'route')], '{t,t,f}', 'a model');
select is(array[sluice.keep_name(:'r'), sluice.keep_name(:'r', 'route'),
  sluice.keep_name(:'r', 'model')], '{t,t,f}', 'a route');
select is(sluice.keep_name('neither'), false, 'neither');
select is((error_of(format('insert into sluice.routes (route, model) values (%L, %L)', :'m',
  :'m'))).message, format('"%s" is already the name of a model', :'m'), 'no name of both');
update sluice.models set paused = true where name = :'m';
select is((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
    and classid = sluice.lock_class('name') and objid::bigint::bit(32)::int = hashtext(:'m')),
  1::bigint, 'a new name is locked, once');

select * from finish();
rollback;
