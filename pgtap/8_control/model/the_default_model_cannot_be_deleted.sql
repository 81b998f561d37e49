-- sluice.keep_default, sluice.follow_name
begin;
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
select given_model() as n \gset
select given_route(:'m', :'n') as r \gset
set constraints all immediate;
update sluice.settings set default_model = :'m';
select is((error_of(format('delete from sluice.models where name = %L', :'m'))).code, '23503',
  'the model');
update sluice.models set name = 'new-' || :'m' where name = :'m';
select is(sluice.default_model(), 'new-' || :'m', 'another name is followed');
update sluice.settings set default_model = :'r';
select lives_ok(format('delete from sluice.routes where route = %L and model = %L', :'r', :'n'),
  'a route may lose a model');
select is((error_of(format('delete from sluice.routes where route = %L', :'r'))).code, '23503',
  'not its last one');
insert into sluice.fallbacks (target, cause, to_model) values (:'r', 'over_budget', :'n');
update sluice.routes set route = 'new-' || :'r' where route = :'r';
select is(sluice.default_model(), 'new-' || :'r', 'another name of it is followed, too');
select is((select target from sluice.fallbacks where to_model = :'n'), 'new-' || :'r',
  'also by its fallbacks');
update sluice.settings set default_model = null;
select lives_ok(format('delete from sluice.routes where route = %L', 'new-' || :'r'),
  'what is not the default may go');
update sluice.settings set default_model = 'any';
select lives_ok(format('delete from sluice.models where name = any (%L)',
  array[:'n', 'new-' || :'m']), 'route any may be empty');

select * from finish();
rollback;
