begin;
\set alone
\ir ../_helpers.sql
select plan(8);

select given_model() as m \gset
select 'large ' || pg_backend_pid() as large, 'small ' || pg_backend_pid() as small \gset
update sluice.settings set tenant_max_unfinished = 8, max_tenants = 10;
create function given_many(p_model text, p_tenant text, p_count int) returns bigint language sql
as $$ select count(given_task(p_model, tenant => p_tenant)) from generate_series(1, p_count) $$;
select given_many(:'m', :'large', 4), given_many(:'m', :'small', 3), given_many(:'m', 'default', 4) \g /dev/null
insert into sluice.unlisted_tenant values ('gone', at(0)), ('new', at(90));
create function gauge_of(p_tenant text) returns regclass language sql
as $$ select to_regclass('sluice.load_tenant_' || md5(p_tenant)) $$;
-- looked: what the sweep does, which owns what it makes.
create function looked(p_now timestamptz) returns int language sql
as $$ select setval('sluice.sweep_after', 0); select sluice.sweep(p_now) $$;
select setval('sluice.tenants_after', 0) \g /dev/null
select looked(at(100)) \g /dev/null
select isnt(gauge_of(:'large'), null, 'half of the most: it is counted from now on');
select is(gauge_of(:'small'), null, 'less: it is not');
select is(gauge_of('default'), null, 'nor is the tenant of tasks without one');
select set_eq($$select tenant from sluice.unlisted_tenant$$, array[:'large', :'small', 'new'],
  'who has no tasks is forgotten, after a minute');
select lives_ok(format('select given_many(%L, %L, 4)', :'m', :'large'), 'up to the most');
select is((error_of(format('select given_task(%L, tenant => %L)', :'m', :'large'))).message,
  format('tenant "%s" is at its cap: 8 of 8 unfinished', :'large'), 'no more');
select given_many(:'m', :'small', 3) \g /dev/null
select looked(at(101)) \g /dev/null
select is(gauge_of(:'small'), null, 'once a minute');
select looked(at(200)) \g /dev/null
select isnt(gauge_of(:'small'), null, 'then again');

select * from finish();
rollback;
