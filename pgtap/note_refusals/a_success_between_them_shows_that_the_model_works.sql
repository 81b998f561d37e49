begin;
\ir ../_helpers.sql
select plan(5);


select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 40) as ids \gset
select claimed(:w, 40) \g /dev/null
create function batch(p_ids bigint[], p_from int, p_kinds text) returns sluice.outcome[] language sql
as $$ select array_agg(case substr(p_kinds, n, 1) when 's' then told(p_ids[p_from + n], 'solved', answer => 'a')
        when 'f' then refused(p_ids[p_from + n], 1, 403) else refused(p_ids[p_from + n]) end order by n)
      from generate_series(1, length(p_kinds)) n $$;
select sluice.complete(:w, batch(:'ids', 0, 'rrrrsrrrrsrrrr'), at(2)) \g /dev/null
select is((model_row(:'m')).closed_until, null, 'never more than four in a row');
select is((select cardinality(tasks) from sluice.refusal where model = id_of(:'m')), 4, 'the last four count');
select sluice.complete(:w, batch(:'ids', 14, 's'), at(2)) \g /dev/null
select is((select tasks from sluice.refusal where model = id_of(:'m')), null, 'until the next success');
select sluice.complete(:w, batch(:'ids', 15, 'rrrrfrrrr'), at(2)) \g /dev/null
select is((model_row(:'m')).closed_until, null, 'another status is another row of them');
select sluice.complete(:w, batch(:'ids', 24, 'rs' || 'rrrrr'), at(2)) \g /dev/null
select is((model_row(:'m')).closed_until, 'infinity', 'five in a row after a success');

select * from finish();
rollback;
