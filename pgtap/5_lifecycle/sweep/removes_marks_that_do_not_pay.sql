begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
create function emptied(p_model text, p_worker bigint, p_count int) returns void language plpgsql
as $$
begin
  perform given_row(p_model, at(n), n) from generate_series(1, p_count) n;
  execute 'delete from ' || format('sluice.queue_%s', id_of(p_model));
  perform given_mark(p_model, at(p_count));
end
$$;
select emptied(:'m', :w, 5), sluice.rescan_line(id_of(:'m'), at(5000)) \g /dev/null
select is(marked(:'m'), '-infinity', 'of an empty lane with few dead rows');
select emptied(:'m', :w, 2000), sluice.rescan_line(id_of(:'m'), at(5000)) \g /dev/null
select is(marked(:'m'), at(2000), 'not of one with many that somebody may see');
select given_mark(:'m', at(9000)), given_row(:'m', at(8000)),
  sluice.rescan_line(id_of(:'m'), at(7000)) \g /dev/null
select is(marked(:'m'), at(8000), 'one ahead of the clock is lowered, if rows wait there');
select given_mark(:'m', at(9000), 1), sluice.rescan_line(id_of(:'m'), at(7000)) \g /dev/null
select is(marked(:'m', 1), '-infinity', 'and removed, if none do');

select * from finish();
rollback;
