begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(6);

select given_model() as a, given_model() as b \gset
select given_failed(:'a', 3) as failed \gset
select (:'failed'::bigint[])[1] as f1, (:'failed'::bigint[])[3] as f3 \gset
select given_task(:'a') as w1, given_task(:'b') as w2 \gset
-- page: of tasks f1, f3, w1 and w2, with a condition besides.
create function page(p_place text, p_ids bigint[], p_after bigint, p_max int,
  p_more jsonb default '{}') returns text language sql
as $$
  select ids::text || ' ' || coalesce(last::text, 'none') from sluice.meant_page(p_place,
    jsonb_populate_record(null::sluice.task_filter, jsonb_build_object('ids', p_ids,
    'is_bound', false, 'tenants', '{}'::text[]) || p_more), true, p_after, 9e18::bigint, p_max,
    p_max)
$$;
select array[:w1, :f3, :f1, :w2, :f1]::bigint[] as ids \gset
select is(page('result', :'ids', 0, 10), format('{%s,%s} %s', :f1, :f3, :w2),
  'those that are in the place');
select is(page('result', :'ids', 0, 1), format('{%s} %1$s', :f1), 'page by page');
select is(page('result', :'ids', :f1, 10, '{"status": "cancelled"}'), format('{} %s', :w2),
  'that meet the other conditions');
select is(page('queue_' || id_of(:'b'), :'ids', 0, 10), format('{%s} %s', :w2, :w2),
  'also where they wait');
select is(page('result', :'ids', :w2, 10), '{} none', 'to the end');
select is(sluice.unfinished_places(jsonb_populate_record(null::sluice.task_filter,
    jsonb_build_object('ids', array[:f1, :w2, 0], 'status', 'queued', 'is_bound', false, 'tenants',
      '{}'::text[]))),
  array(select 'queue_' || i from unnest(array[id_of(:'a'), id_of(:'b')]) i order by i),
  'they wait in the lines of what they name');

select * from finish();
rollback;
