begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(4);

select given_looks();
update sluice.settings set history = '2 days';
insert into sluice.history_row (step, at, model, tenant)
select s, at(-86400 * d), 'm', 't' from unnest(array['minute', 'hour', 'day']) s,
  unnest(array[1, 3, 399, 401, 3600, 3700]) d;
select sluice.forget_history(at(0));
select results_eq($$select step, count(*)::int from sluice.history_row group by 1 order by 1$$,
  $$values ('day', 5), ('hour', 3), ('minute', 1)$$,
  'minutes as the settings say, hours 400 days, days ten years');
insert into sluice.history_row (step, at, model, tenant)
select 'minute', at(-86400 * 3), 'm' || n, 't' from generate_series(1, 10005) n;
select sluice.forget_history(at(0));
select is((select count(*) from sluice.history_row where step = 'minute'), 6::bigint,
  'at most 10,000 at once');
select is((error_of($$update sluice.settings set history = '30 minutes'$$)).code, '23514',
  'an hour at least');
select is((error_of($$update sluice.settings set history = '500 days'$$)).code, '23514',
  'and 400 days at most');

select * from finish();
rollback;
