begin;
\set alone
\ir ../_helpers.sql
select plan(23);

select given_model() as m, given_model() as other \gset
select given_route(:'m', :'other') as r \gset
-- lines_of: how many lines a version of a model or route has.
create function lines_of(p_target text, p_version text) returns bigint language sql
as $$
  select count(*) from sluice.route_line l left join sluice.models m on m.id = l.model
  where l.version = p_version and p_target in (l.route, m.name)
    and to_regclass('sluice.queue_route_' || l.n) is not null
$$;

insert into sluice.payload_schema (target, version) values (:'m', 'a'), (:'r', 'a');
select is(lines_of(:'m', 'a'), 1::bigint, 'a model''s has one');
select is(lines_of(:'r', 'a'), 2::bigint, 'a route''s one for prompts and one for its api');
update sluice.models set api = 'openai-chat' where name = :'other';
select is(lines_of(:'r', 'a'), 3::bigint, 'and for another api, when a model speaks it');
select lives_ok(format('update sluice.payload_schema set schema = ''{"type": "string"}''
  where target = %L', :'m'), 'its schema may change');

create function refusal(p_sql text) returns text language sql
as $$ select code from error_of(p_sql) $$;
select is(refusal(format('insert into sluice.payload_schema values (%L, ''b'', ''{"$ref": 1}'')',
  :'m')), 'SL004', 'but to none that cannot be checked');
select is(refusal(format('insert into sluice.payload_schema values (%L, ''b'', %L)', :'m',
  jsonb_build_object('title', repeat('x', 70000)))), 'SL004', 'nor to one that is too large');
select is(refusal(format('insert into sluice.payload_schema values (%L, ''b'', %L)', :'m',
  (select jsonb_build_object('properties', jsonb_object_agg(n, jsonb_build_object('pattern',
    'x' || n, 'maxLength', 9))) from generate_series(1, 17) n))), 'SL004',
  'nor to one with more patterns than a session keeps compiled beside another''s');
select lives_ok(format('update sluice.payload_schema set schema = %L where target = %L',
  (select jsonb_build_object('properties', jsonb_object_agg(n, jsonb_build_object('properties',
    jsonb_build_object('pattern', jsonb_build_object('minLength', n)))))
  from generate_series(1, 17) n), :'m'), 'properties of that name are none');
select is(refusal('insert into sluice.payload_schema values (''nobody'', ''a'')'), 'SL001',
  'the model is one');
select is(refusal(format('insert into sluice.payload_schema values (%L, ''a b'')', :'m')), '23514',
  'and the version a word');
select is(refusal(format('update sluice.payload_schema set version = ''c'' where target = %L',
  :'m')), '23514', 'which stays');
select is(refusal(format('insert into sluice.payload_schema select %L, ''v'' || n
  from generate_series(1, 32) n', :'m')), 'SL004', 'at most 32 of them');

select sluice.submit('x', :'m', schema_version => 'a', p_now => at(0)) as t \gset
select is(refusal(format('delete from sluice.payload_schema where target = %L', :'m')), '23503',
  'with tasks it is not deleted');
select is(refusal(format('set constraints all immediate;
  delete from sluice.models where name = %L', :'m')), '23503', 'nor is its model');
update sluice.models set name = :'m' || '-new' where name = :'m';
select is((select version from sluice.payload_schema where target = :'m' || '-new'), 'a',
  'a renamed model keeps its versions');
select is((sluice.task(:t)).status, 'queued', 'and their tasks');
select sluice.cancel(:t, at(1)) \g /dev/null
delete from sluice.payload_schema where target in (:'m' || '-new', :'r');
select is(lines_of(:'m' || '-new', 'a') + lines_of(:'r', 'a'), 0::bigint, 'then its lines go');

insert into sluice.payload_schema (target, version) values (:'m' || '-new', 'a');
delete from sluice.routes where model = :'m' || '-new';
delete from sluice.models where name = :'m' || '-new';
set constraints all immediate;
select is((select count(*) from sluice.payload_schema where target = :'m' || '-new'), 0::bigint,
  'a model takes its versions along');
select is((select count(*) from sluice.route_line where model is not null), 0::bigint,
  'and their lines');

-- what does it
select is((select array_agg(tgname::text order by tgname) from pg_trigger
  where tgrelid = 'sluice.payload_schema'::regclass and not tgisinternal),
  '{after_payload_schema_is_added,after_payload_schema_is_gone,before_payload_schema_changes,
    note_configuration}',
  'by its triggers');
insert into sluice.payload_schema (target, version) values (:'r', 'z');
select is(lines_of(:'r', 'z'), 2::bigint, 'which make what is missing');
select sluice.make_route_line(:'r', null, 'z') \g /dev/null
select is(lines_of(:'r', 'z'), 2::bigint, 'once');


-- A version is part of the text of functions, and the owner makes them.
set local check_function_bodies = off;
select is(refusal(format('insert into sluice.payload_schema (target, version) values (%L, %L)',
  :'other',
  'v*/$body$; select 1/0; select /*')), '23514', 'so one of other letters is refused before');

select * from finish();
rollback;
