begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select sluice.estimate_tokens(:id, 4000, null) as before \gset
select given_tasks(:'m', 100) as ids \gset
select claimed(:w, 100) \g /dev/null
select sluice.complete(:w, array(select told(t, 'solved', input_tokens => 9, output_tokens => 1)
  from unnest(:'ids'::bigint[]) t), at(2)) \g /dev/null
select cmp_ok(sluice.estimate_tokens(:id, 4000, null), '<', :before, 'one look a flush, also without a quota');
select cmp_ok(sluice.estimate_tokens(:id, 4000, null), '>', (:before * 0.98)::int, 'and a small step');

select * from finish();
rollback;
