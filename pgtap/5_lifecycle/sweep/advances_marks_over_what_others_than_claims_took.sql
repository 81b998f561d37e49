-- sluice.advance_marks, sluice.note_gone
begin;
\set alone
\ir ../../_helpers.sql
select plan(8);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m, given_model() as few \gset
create function gone_again(p_count int, p_now timestamptz) returns void language plpgsql
as $$
begin
  perform given_tasks(name, p_count, p_now) from sluice.models where name like 'model-%-1';
  perform sluice.cancel_all(model => name, p_now => p_now) from sluice.models
    where name like 'model-%-1';
end
$$;
select gone_again(3000, at(0)) \g /dev/null
select is(marked(:'m'), '-infinity', 'that nobody claimed is not known yet,');
select is((select count(*) from sluice.mark where line = id_of(:'m')), 1::bigint,
  'but its lane is noted');
select sluice.sweep(at(2)) \g /dev/null
select is(marked(:'m'), at(1.75), 'the sweep raises its mark: claims pass by');
select gone_again(3000, at(3)) \g /dev/null
select given_task(:'m', p_now => at(4)) as waiting \gset
select sluice.sweep(at(100)) \g /dev/null
select is(marked(:'m'), at(4), 'up to what waits');
select sluice.sweep(at(200)) \g /dev/null
select is(marked(:'m'), at(4), 'as long as it waits');
select is(claimed(given_worker(array[:'m'], at(200)), 5, at(201)), array[:waiting::bigint],
  'which is claimed');

select given_task(:'few', p_now => at(3)) as t, given_tasks(:'few', 3, at(3)) \gset
select sluice.cancel(:t, at(4)) \g /dev/null
select sluice.set_mark(id_of(:'few'), 0::smallint, sluice.tenant_key('default'), '-infinity');
select sluice.sweep(at(300)) \g /dev/null
select is(marked(:'few'), '-infinity', 'a few dead rows are no matter');
select lives_ok('select sluice.advance_marks(2147483647, at(5))', 'nor is a line that is gone');

select * from finish();
rollback;
