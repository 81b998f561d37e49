-- sluice.add_cells
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(10);

select given_model() as m \gset
select given_looks();
insert into sluice.api_key (id, sha256, name, tenant, scopes, created_at)
values ('00000000000000aa', sha256('a'), 'search', 'one', '{submit}', at(0)),
  ('00000000000000bb', sha256('b'), 'nightly', null, '{submit}', at(0));
create temporary table told as
select s.place, s.id from sluice.submit_each(
  array_fill(format('{"prompt": "q", "model": "%s"}', :'m'), array[5]),
  array['one', 'one', 'two', 'one', 'two'], array_fill(null::text, array[5]), null,
  array['00000000000000aa', '00000000000000aa', '00000000000000bb', null, 'ffffffffffffffff'],
  at(1)) s;
select results_eq('select t.api_key from told join sluice.task t using (id) order by place',
  $$values ('00000000000000aa'), ('00000000000000aa'), ('00000000000000bb'), (null),
    ('ffffffffffffffff')$$, 'a task keeps by which key it came');
select sluice.submit('x', :'m') as id \gset
select is((select api_key from sluice.task where id = :id), null::text, 'one from SQL has none');
select array(select id from sluice.submit_array(format(
    '[{"prompt": "a", "model": "%1$s"}, {"prompt": "b", "model": "%1$s"}]', :'m'), null, null,
    api_key => '00000000000000bb', p_now => at(1))) as ids \gset
select is((select array_agg(api_key) from sluice.task where id = any (:'ids')),
  '{00000000000000bb,00000000000000bb}', 'each of an array has the one');
select sluice.cancel(id, at(5)) from told \g /dev/null
select is(sluice.count_ends(at(60)), 5::bigint, 'a look counts them');
select bag_eq('select step, api_key, tenant, cancelled from sluice.key_history_row',
  $$values ('hour', '00000000000000aa', 'one', 2::bigint), ('day', '00000000000000aa', 'one', 2),
    ('hour', '00000000000000bb', 'two', 1), ('day', '00000000000000bb', 'two', 1)$$,
  'by hours and days, of keys that there are');
select is((select sum(cancelled) from sluice.history where step = 'day'), 5::numeric,
  'the history has all of them, and each once');
select is(sluice.count_ends(at(61)), 0::bigint, 'the next look counts nothing');
select sluice.cancel(s.id, at(62)) from sluice.submit_each(
  array_fill(format('{"prompt": "q", "model": "%s"}', :'m'), array[3]), array['one', 'one', 'two'],
  array_fill(null::text, array[3]), null,
  array['00000000000000aa', '00000000000000aa', '00000000000000bb'], at(61)) s \g /dev/null
select sluice.count_ends(at(120)) \g /dev/null
select is((select array_agg(cancelled order by api_key) from sluice.key_history_row
  where step = 'day'), '{4,2}', 'rows are added to those that are there');

select sluice.forget_history(at(86400 * 399)) \g /dev/null
select is((select count(*) from sluice.key_history_row), 4::bigint, 'hours are kept 400 days');
select sluice.forget_history(at(86400 * 402)) \g /dev/null
select is((select array_agg(distinct step) from sluice.key_history_row), '{day}',
  'and days longer');

select * from finish();
rollback;
