-- sluice.first_begin, sluice.window_from, sluice.window_until, sluice.budget_account,
-- sluice.budget_sums, sluice.budget_opens_at, sluice.merge_budget, sluice.in_units,
-- sluice.budget_text, sluice.note_marks
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(20);

select given_budget('system', null, 5000, zone => 'Europe/Prague') as day,
  given_budget('system', null, 5000, period => 'week') as week,
  given_budget('system', null, 5000, period => 'month') as month,
  given_budget('system', null, 5000, period => 'rolling', rolling => '1 hour') as rolling \gset
create function bounds(p_name text, p_now timestamptz) returns text language sql
as $$ select concat_ws(' ', sluice.window_from(budget_row(p_name), p_now) at time zone 'UTC',
  sluice.window_until(budget_row(p_name), p_now) at time zone 'UTC') $$;
select is(bounds(:'day', '2026-03-29 12:00Z'), '2026-03-28 23:00:00 2026-03-29 22:00:00',
  'a day of 23 hours, in its zone');
select given_budget('system', null, 5000, zone => 'Atlantic/Azores') as azores \gset
select is(bounds(:'azores', at), '2026-10-25 00:00:00 2026-10-26 01:00:00',
  'a day of 25 hours that has two midnights begins at the first')
from unnest(array['2026-10-25 00:30Z', '2026-10-25 01:30Z']::timestamptz[]) at;
select is(bounds(:'azores', '2026-10-24 12:00Z'), '2026-10-24 00:00:00 2026-10-25 00:00:00',
  'where the day before ends');
select is(bounds(:'week', '2026-11-25 12:00Z'), '2026-11-23 00:00:00 2026-11-30 00:00:00',
  'a week begins on Monday');
select is(bounds(:'month', '2026-02-25 12:00Z'), '2026-02-01 00:00:00 2026-03-01 00:00:00',
  'a month');
select is(bounds(:'rolling', '2026-02-25 12:00Z'), '2026-02-25 11:00:00', 'the last hour');

insert into sluice.budget_spent (budget, at, nanos)
select b.id, at(s), 1000 from sluice.budgets b, unnest(array[-7200, -1800, -60, 10]) s
where b.name in (:'day', :'rolling');
select is((sluice.budget_sums(budget_row(:'rolling'), at(0))).total, 3000::numeric,
  'counts what is in the window, and all after now: the clock was set back');
select is((sluice.budget_sums(budget_row(:'rolling'), at(1801))).total, 2000::numeric,
  'when the window rolls on, some has left it');
select is(sluice.budget_opens_at(budget_row(:'rolling'), 2500, at(20)),
  at(1800) + interval '1 microsecond', 'it opens when enough has left');
select is(sluice.budget_opens_at(budget_row(:'day'), 1, at(20)), timestamptz '2040-01-01 23:00Z',
  'or with the next window');

insert into sluice.budget_spent (budget, at, nanos)
select b.id, at(s), 1 from sluice.budgets b, generate_series(-899, -300) s where b.name = :'day';
create function merged(p_name text) returns text language sql
as $$ select format('%s %s', sum(nanos), count(*) < 100) from sluice.budget_spent s
  where s.budget = (budget_row(p_name)).id $$;
select is(merged(:'day'), '4600 f', 'many rows');
select sluice.merge_budget(budget_row(:'day'), at(0));
select is(merged(:'day'), '4600 t', 'become few, with the same sum');
insert into sluice.budget_spent (budget, at, nanos)
select b.id, at(0) + s * interval '5 minutes', 1 from sluice.budgets b, generate_series(1, 5100) s
where b.name = :'month';
select sluice.merge_budget(budget_row(:'month'), at(1600000));
select is((select format('%s %s', sum(nanos), count(*)) from sluice.budget_spent
  where budget = (budget_row(:'month')).id), '5100 1701', 'also old ones, when there are many');
select is((select count(*) from sluice.budget_spent where budget = (budget_row(:'month')).id
  and at >= timestamptz '2040-01-02 00:00Z' and at < '2040-01-03 00:00Z'), 96::bigint,
  'each quarter of an hour for itself');
select is(sluice.in_units(49970000000)::text, '49.97', 'in whole units');
select is(sluice.budget_text(budget_row(:'day'), '2040-01-01 23:00Z', at(20)),
  'system: no room for it today, opens 00:00 Europe/Prague',
  'of all it is not told what they spent');
create function marks(p_name text) returns int[] language sql
as $$ select array(select per_cent from sluice.budget_mark
  where budget = (budget_row(p_name)).id order by window_from, per_cent) $$;
select sluice.note_marks(budget_row(:'day'), m, at(20))
from (values ('{80}'::int[]), ('{80}'), ('{0,80}')) v(m);
select is(marks(:'day'), '{0,80}', 'each mark, and exhaustion, is noted once');
select is(sluice.marks_from(budget_row(:'rolling'), at(90000)), timestamptz '2040-01-02 00:00Z',
  'of one that rolls, in a day');
select sluice.note_marks(budget_row(:'day'), '{80}', at(90000));
select is(marks(:'day'), '{0,80,80}', 'in a window');

select * from finish();
rollback;
