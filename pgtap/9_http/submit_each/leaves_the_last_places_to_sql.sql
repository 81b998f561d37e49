-- sluice.submit_bodies
begin;
\set alone
\ir ../../_helpers.sql
select plan(8);

select given_model(rpm => 60) as m, given_model() as other \gset
update sluice.models set max_unfinished = 20 where name = :'m';
create function posted(p_model text) returns text language sql
as $$ select coalesce(code, 'taken') from sluice.submit_each(
  array[jsonb_build_object('prompt', 'x', 'model', p_model)::text], array[null], array[null],
    p_now => at(0)) $$;
select is((select count(*) filter (where posted(:'m') = 'taken')
  from generate_series(1, 20)), 17::bigint, 'over HTTP up to 85 percent');
select matches(message || ' ' || hint, 'nearly full: 17 of 20 unfinished Try again in about 2 s')
from sluice.submit_each(
  array[jsonb_build_object('prompt', 'x', 'model', :'m')::text], array[null], array[null],
    p_now => at(0));
select throws_ok(format($$select sluice.submit_array('[{"prompt": "x", "model": "%s"}]', null, null,
  p_now => at(0))$$, :'m'), 'SL003', null, 'nor in arrays');
select is(posted(:'other'), 'taken', 'a model without a bound of its own has the system''s');
insert into sluice.routes (route, model) values ('both', :'m'), ('both', :'other');
select is(posted('both'), 'taken', 'nor is a route full while one of its models is not');
delete from sluice.routes where route = 'both' and model = :'other';
select is(posted('both'), 'SL003', 'when all are, it is');
select lives_ok(format('select sluice.submit(%L, %L)', 'x', :'m'), 'SQL has the rest');
update sluice.settings set max_unfinished = 19;
select is(posted(:'other'), 'SL003', 'the system, too, keeps some');

select * from finish();
rollback;
