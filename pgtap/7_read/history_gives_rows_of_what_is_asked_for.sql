begin;
\set alone
\ir ../_helpers.sql
\ir ../_history.sql
select plan(42);

select given_model() as m, given_model() as n \gset
select given_looks();
select given_end(:'m', 'solved', at(5), p_call_s => 2), given_end(:'n', 'failed', at(5)),
  given_end(:'m', 'solved', at(70), p_call_s => 8) \g /dev/null
select sluice.count_ends(at(200)) \g /dev/null

select results_eq($$select at, model, tenant, solved, failed from
    sluice.history_of('minute', at(0), at(200))$$,
  $$values (at(0), null::text, null::text, 1::bigint, 1::bigint), (at(60), null, null, 1, 0)$$,
  'all together');
select results_eq($$select at, model, tenant, solved from
    sluice.history_of('minute', at(0), at(200), by => 'model') order by at, solved$$,
  format('values (at(0), %L, null::text, 0::bigint), (at(0), %L, null, 1), '
    '(at(60), %2$L, null, 1)', :'n', :'m'), 'by models');
select results_eq($$select step, model, tenant, solved, failed from
    sluice.history_of('hour', at(0), at(200), by => 'tenant')$$,
  $$values ('hour', null::text, 'default', 2::bigint, 1::bigint)$$, 'by tenants, an hour');
select is((select count(*) from sluice.history_of('day', at(0), at(200), by => 'model,tenant')),
  2::bigint, 'by both');
select is((select array_agg(solved) from sluice.history_of('minute', at(0), at(200), :'m')),
  '{1,1}', 'of one model');
select is((select count(*) from sluice.history_of('minute', at(0), at(60))), 1::bigint,
  'steps that begin before until');
select is((select count(*) from sluice.history_of(p_now => at(200))), 2::bigint, 'the last hour');
select is((select round(call_p50_s) from sluice.history_of('hour', at(0), at(200), :'m')),
  2::float8, 'the percentile of both');

select results_eq($$select step, at, model, solved, failed, call_p50_s
    from sluice.history_of('all', at(0), at(200), by => 'model') order by solved$$,
  format('values (''all'', at(0), %L, 0::bigint, 1::bigint, null::float8), '
    '(''all'', at(0), %L, 2, 0, null)', :'n', :'m'), 'one row each for the whole time');
select is((select sum(h.called) from sluice.history_of('all', at(0), at(3600), by => 'none') h),
  3::numeric, 'of its hours');
select is((select sum(solved) from sluice.history_of('all', at(0) - interval '1 hour', at(0))),
  null::numeric, 'and of no other');
select is(sluice.stored_step('all', '2040-01-01T00:00:00Z') || sluice.stored_step('all',
  '2040-01-01T01:00:00Z') || sluice.stored_step('minute', '2040-01-01T00:00:00Z'), 'dayhourminute',
  'from the beginning of a day it takes days');
select is(sluice.history_page('all', '2040-01-01', null, :'m', null, 'none', 'json')::jsonb
  #>> '{data,0,call_p50_s}', null, 'without percentiles');

select is((error_of($$select sluice.history_of('week')$$)).code, 'SL004', 'no other step');
select is((error_of($$select sluice.history_of(by => 'route')$$)).code, 'SL004', 'nor rows');
insert into sluice.history_row (step, at, model, tenant)
select 'minute', at(60 * n), 'x', 't' from generate_series(1, sluice.history_rows_max() + 1) n;
select message, hint from error_of(
  $$select sluice.history_of('minute', at(0), at(60 * 9999), 'x', 't')$$) \gset
select is(:'message'::text, 'that is more than 5000 rows', 'it is bounded');
select alike(:'hint'::text, '%step=hour%', 'and says what to ask for');

select is(sluice.history_page('minute', '2040-01-01 00:00:00+00', '2040-01-01 00:01:00+00', :'m',
    null, 'model', 'json')::jsonb #>> '{data,0,solved}', '1', 'as JSON');
select matches(sluice.history_page('minute', '2040-01-01 00:00:00+00', '2040-01-01 00:01:00+00',
    :'m', null, 'model', 'csv'), E'^at,model,.*wasted_cost\r\n"2040-01-01T[^"]+","[^"]+",,1,0,',
  'as CSV');
select is((error_of($$select sluice.history_page('day', null, null, null, null, 'none',
  'xml')$$)).code, 'SL004', 'nothing else');
select is((error_of($$select sluice.history_page('day', 'noon?', null, null, null, 'none',
  'csv')$$)).code, 'SL004', 'no other times');
select is(sluice.csv_line('{"a": "=x \"y\"", "b": null, "c": 1.5}'), '"''=x ""y""",,1.5',
  'texts are quoted, and are no formulas');
select is(sluice.csv_line(json_build_object('a', c || '1')), $$"'$$ || c || '1"',
  c || ' begins no formula either')
from unnest(array['=', '+', '-', '@', '＝', '＋', '－', '＠']) c;
select is(sluice.csv_line(json_build_object('a', c || '=1')), $$"'$$ || c || '=1"',
  'nor behind ' || ascii(c))
from unnest(array[' ', E'\n', E'\u000B', E'\u00A0', E'\u3000', E'\u200B', E'\uFEFF', E'\u0001']) c;
select is(sluice.csv_line(json_build_object('a', E'\nx')), E'"''\nx"', 'nor with a line feed');
select is(sluice.csv_line('{"a": " x=1"}'), '" x=1"', 'what is no formula stays');
select is((select solved[58:60] from sluice.sparks(at(200)) where model = :'m'),
  '[1:3]={1,1,0}'::int[], 'sparks end with the last minute that was counted');

create or replace function sluice.add_counts(p_counts int[], p_more int[]) returns int[]
language plpgsql immutable parallel safe
as $$
begin
  raise exception 'added';
end
$$;
select lives_ok($$select sluice.history_of('all', at(0), at(200))$$,
  'for the whole time no histograms are added, which would take long');

select * from finish();
rollback;
