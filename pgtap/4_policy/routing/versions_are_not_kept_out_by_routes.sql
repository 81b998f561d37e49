-- sluice.lines_open
begin;
\ir ../../_helpers.sql
select plan(3);

-- Routes come first: with eight of them ready, no line of a version was ever looked at.
select given_model() as m \gset
select given_worker() as w \gset
create temp table ours on commit drop as select given_route(:'m') as route
  from generate_series(1, 12);
insert into sluice.payload_schema (target, version) select :'m', n from generate_series(1, 10) n;
select count(given_task(o.route)) from ours o, generate_series(1, 2) \g /dev/null
select count(sluice.submit('x', :'m', schema_version => n::text, p_now => at(0)))
from generate_series(1, 10) n \g /dev/null
select given_task(:'m') \g /dev/null
create temp table share on commit drop as
  select s.line, l.model from unnest(sluice.lines_open(model_row(:'m'), 100, at(1), :w)) s
  left join sluice.route_line l on l.n = -s.line;
select is((select count(*) from share where line < 0 and model is null), 8::bigint, 'eight routes');
select is((select count(*) from share where model is not null), 8::bigint, 'eight versions');
select is((select count(*) from share where line > 0), 1::bigint, 'and its own');

select * from finish();
rollback;
