begin;
\ir ../../_helpers.sql
select plan(12);

select given_model() as m, given_model() as other \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 4) as ids \gset
select (:'ids'::bigint[])[1] as a, (:'ids'::bigint[])[2] as b, (:'ids'::bigint[])[4] as z \gset
select claimed(:w, 2) \g /dev/null
select completed(:w, told(:a, 'solved', answer => 'x')), completed(:w, told(:b, 'failed'))
\g /dev/null
select sluice.task_filter_of(:'m', null, null, null, null, null) as f \gset
select is(sluice.result_ids(null, false, 0, :z, 1000), array[:a, :b]::bigint[], 'all results');
select is(sluice.result_ids(null, true, 0, :z, 1000), array[:b]::bigint[], 'one is not solved');
select is(sluice.result_ids(null, true, 0, :a, 1000), '{}', 'the first is');
select is((sluice.meant_page('result', :'f', true, 0, :z, 9, 9)).ids, array[:b]::bigint[],
  'one is unsolved');
select is((sluice.meant_page('result', :'f', false, 0, :z, 9, 9)).ids, array[:a, :b]::bigint[],
  'two have ended');
select is((sluice.meant_page('result', :'f', false, :a - 1, :z, 9, 1)).last, :a::bigint,
  'a full page ends with its last task');
select is(sluice.unfinished_places(:'f'), array['queue_' || id_of(:'m'), 'later', 'lease'],
  'where tasks of a model may be');
select is((sluice.meant_page('queue_' || id_of(:'m'), :'f', false, 0, :z, 9, 1)).ids,
  array[:z - 1]::bigint[], 'the first of those that wait');
select is((sluice.meant_page('queue_' || id_of(:'m'), :'f', false, :z, :z, 9, 1)).last, null,
  'behind the last there is none');
select is((select array[place, ids::text, next::text] from sluice.next_page(:'f', true,
    format('{"places": ["result"], "after": 0, "until": %s}', :z)::jsonb, 10)),
  array['result', format('{%s}', :b),
    format('{"after": %s, "until": %s, "places": ["result"]}', :b, :z)], 'and says what is next');
select ok(sluice.is_served(id_of(:'m'), null), 'a model that is there is served');
select ok(not sluice.is_served(null, 'gone'), 'a route that is gone is not');

select * from finish();
rollback;
