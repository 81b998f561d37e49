begin;
\ir ../_helpers.sql
\ir _helpers.sql
select plan(5);

-- The tokens of p_rounds rounds: what weight 2 got for each that weight 1 got.
create function ratio(p_model text, p_places int, p_rounds int) returns float8 language sql
as $$
  select sum(t.tokens) filter (where t.tenant like 'heavy%') / sum(t.tokens) filter (where t.tenant like 'light%')
  from generate_series(1, p_rounds) r cross join lateral turns(p_model, p_places, at(60 + r * 0.001)) t
$$;
select setseed(0.5) \g /dev/null
select format('heavy-%s', pg_backend_pid()) as heavy, format('light-%s', pg_backend_pid()) as light \gset
insert into sluice.tenants (name, weight) values (:'heavy', 2), (:'light', 1);

select given_model() as same \gset
select waits(:'same', :'heavy', 300), waits(:'same', :'light', 300) \g /dev/null
select ok(ratio(:'same', 50, 20) between 1.9 and 2.1, 'tasks of one size');
select ok(ratio(:'same', 1, 300) between 1.5 and 2.6, 'places dealt one by one');

select given_model() as long \gset
select waits(:'long', :'heavy', 300, 200), waits(:'long', :'light', 200, 4) \g /dev/null
select ok(ratio(:'long', 100, 60) between 1.9 and 2.1, 'tasks of the heavy one are 50 times as long');
select ok(ratio(:'long', 10, 300) between 1.6 and 2.5, 'also in rounds shorter than one of them');

update sluice.tenants set weight = 6 where name = :'heavy';
select ok(ratio(:'same', 70, 20) between 5.7 and 6.3, 'a new weight holds at once');

select * from finish();
rollback;
