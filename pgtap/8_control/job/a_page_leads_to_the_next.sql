begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(11);

create or replace function sluice.job_page_tasks() returns int language sql immutable
as $$ select 2 $$;
select given_model() as m \gset
select given_tasks(:'m', 3) as ids \gset
select j as job from sluice.new_job('prioritise', jsonb_build_object('model', :'m'), null, 5, null,
  at(1)) j \gset
select sluice.job_position(:'job'::sluice.job) as position \gset
select is(:'position'::jsonb -> 'places', jsonb_build_array('queue_' || id_of(:'m'), 'later'),
  'it goes through the places where its tasks may wait');
select is(:'position'::jsonb -> 'again', :'position'::jsonb -> 'places',
  'and again, for they move');
select is(sluice.job_position(j) -> 'places', '["result"]', 'finished ones have one place')
from sluice.new_job('forget', jsonb_build_object('model', :'m'), null, null, null, at(1)) j;
select is(sluice.job_position(j) -> 'places' ->> 0, 'lease', 'a cancel looks at calls first')
from sluice.new_job('cancel', jsonb_build_object('model', :'m'), null, null, null, at(1)) j;

-- pages: ids of each page from the position on.
create function pages(p_job sluice.job) returns setof text language plpgsql
as $$
declare
  v_page record;
begin
  while p_job.position is not null loop
    v_page := sluice.next_page(sluice.job_filter(p_job), false, p_job.position,
      sluice.job_page_tasks());
    return next concat_ws(' ', v_page.place, cardinality(v_page.ids), v_page.is_again);
    p_job.position := v_page.next;
  end loop;
end
$$;
select is(array(select * from pages(:'job'::sluice.job)), array[q || ' 2 f', q || ' 1 f',
  q || ' 0 f', 'later 0 f', q || ' 2 t', q || ' 1 t', q || ' 0 t', 'later 0 t'],
  'a page is bounded, and the last place is the end')
from (select 'queue_' || id_of(:'m') as q) p;
select is((sluice.next_page(sluice.job_filter(:'job'), false,
  jsonb_set(:'position', '{places,0}', '"queue_0"'), 9)).ids, '{}', 'a line that is gone has none');
select is((sluice.count_job(:'job'::sluice.job)).matched, 3::bigint, 'it counts each once');
select is((error_of($$select sluice.refuse_tenant('x')$$)).code, 'SL009', 'a key has its tenant');
select is(sluice.line_of_place('queue_7'), 7, 'the line of a model''s table');
select is(sluice.line_of_place('queue_route_7'), -7, 'of a route''s');
select is(sluice.line_of_place('later'), null, 'and of none');

select * from finish();
rollback;
