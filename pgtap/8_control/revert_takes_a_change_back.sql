begin;
\ir ../_helpers.sql
select plan(20);

select given_model() as m \gset
create function last_revision() returns bigint language sql
as $$ select max(id) from sluice.revision $$;
update sluice.models set rpm = 60, timeout = '5 s' where name = :'m';
select last_revision() as r \gset
update sluice.models set tpm = 900 where name = :'m';
select sluice.revert(:r) as undo \gset
select is((select (rpm, timeout, tpm) from sluice.models where name = :'m'),
  (null::int, interval '300 s', 900), 'what it changed, and nothing else');
select is((select reverts from sluice.revision where id = :undo), :r::bigint, 'it says of which');
select is((select array[action, object, detail::text] from sluice.audit order by id desc limit 1),
  array['revert', :'m', format('{"kind": "models", "force": false, "revision": %s}', :r)],
  'the audit has it');
select is((error_of(format('select sluice.revert(%s)', :r))).code, 'SL011', 'once');
select sluice.revert(:undo) \g /dev/null
select is((select rpm from sluice.models where name = :'m'), 60, 'a revert, too');
update sluice.models set rpm = 70 where name = :'m';
select is((error_of(format('select sluice.revert(%s)', :r))).message,
  format('models "%s" changed since: rpm', :'m'), 'not what changed since');
select sluice.revert(:r, true) \g /dev/null
select is((select rpm from sluice.models where name = :'m'), null, 'unless it is forced');
select is((error_of(format('select sluice.revert(%s, true)', :r))).code, 'SL004',
  'nothing is left to take back');
select given_model() as gone \gset
delete from sluice.models where name = :'gone';
select max(id) as r from sluice.revision where name = :'gone' and kind = 'models' \gset
select sluice.revert(:r) \g /dev/null
select is((select url from sluice.models where name = :'gone'), 'http://127.0.0.1:1',
  'a deleted model is there again');
select sluice.revert(max(id)) from sluice.revision
where name = :'gone' and kind = 'models' and action = 'insert' \g /dev/null
select is_empty(format('select from sluice.models where name = %L', :'gone'), 'and gone again');
select given_route(:'m') as route \gset
update sluice.routes set weight = 3 where route = :'route';
select sluice.revert(last_revision()) \g /dev/null
select is((select weight from sluice.routes where route = :'route'), 1::real, 'a route''s weight');
delete from sluice.routes where route = :'route';
select sluice.revert(last_revision()) \g /dev/null
select is((select weight from sluice.routes where route = :'route'), 1::real, 'a route''s row');
select given_model() as target, given_model() as to_model \gset
insert into sluice.fallbacks values (:'target', 'over_budget', :'m');
update sluice.fallbacks set to_model = :'to_model' where target = :'target';
select is((select before from sluice.revision order by id desc limit 1),
  jsonb_build_object('cause', 'over_budget', 'to_model', :'m'), 'a fallback''s, with its cause');
select sluice.revert(last_revision()) \g /dev/null
select is((select to_model from sluice.fallbacks where target = :'target'), :'m', 'a fallback');
delete from sluice.fallbacks where target = :'target';
select sluice.revert(last_revision()) \g /dev/null
select is((select (cause, to_model) from sluice.fallbacks where target = :'target'),
  ('over_budget'::text, :'m'::text), 'and one that is gone');
update sluice.settings set ageing = '77 s';
select sluice.revert(last_revision()) \g /dev/null
select is((select ageing from sluice.settings), interval '10 minutes', 'a setting');
select given_model() as old \gset
select given_route(:'old') as old_route \gset
update sluice.models set name = 'renamed-' || :'old' where name = :'old';
select max(id) as r from sluice.revision where kind = 'models' \gset
select sluice.revert(:r) as undo \gset
select is((select model from sluice.routes where route = :'old_route'), :'old', 'a name');
select is((select array[name, reverts::text] from sluice.revision where id = :undo),
  array[:'old', :r::text], 'and says so under the former one');
delete from sluice.models where name = :'old';
select is((error_of(format('select sluice.revert(%s, true)', :undo))).code, 'SL011',
  'no change of what is gone');
select is((error_of('select sluice.revert(-1)')).code, 'SL006', 'no revision, nothing');
-- revision_condition, restore_row

select * from finish();
rollback;
