begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_tasks(:'m', 2500) as ids \gset
select sluice.task_filter_of(:'m', null, null, null, null, null) as f \gset
-- parts: how many each part ended, of one page each.
create function parts(p_filter sluice.task_filter) returns setof bigint language plpgsql
as $$
declare
  v_part record;
  v_next jsonb;
begin
  for n in 1 .. 100 loop
    v_part := sluice.bulk_part('cancel', p_filter, v_next, '-infinity', at(1));
    return next v_part.done;
    v_next := v_part.next;
    exit when v_next is null;
  end loop;
end
$$;
select next as first from sluice.bulk_part('cancel', :'f', null, '-infinity', at(1)) \gset
select given_tasks(:'m', 10) as later \gset
select sluice.bulk_part('cancel', :'f', :'first', 'infinity', at(1)) as rest \gset
select is(:'rest'::text, '(2500,)',
  'all that was there at the first one, and there is no next one');
select ok((select bool_and(places(id) in ('queue', 'later')) from unnest(:'later'::bigint[]) id),
  'later ones stay');
select array_agg(done) as done from parts(:'f') done \gset
select is((select sum(d) from unnest(:'done'::bigint[]) d), 10::numeric, 'page by page, too');
select cmp_ok(cardinality(:'done'::bigint[]), '>=', 5, 'a part looks at one place');
select lives_ok(format($$select sluice.bulk_part('cancel', %L,
  jsonb_set(%L::jsonb, '{places,0}', '"queue_0"'), 'infinity', at(1))$$,
  :'f', :'first'), 'a queue that is gone has none');

select * from finish();
rollback;
