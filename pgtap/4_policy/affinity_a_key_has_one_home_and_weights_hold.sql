begin;
\ir ../_helpers.sql
select plan(17);

select given_model() as a, given_model() as b, given_model() as c \gset
select given_route(:'a', :'b', :'c') as r \gset
select given_worker() as w \gset
create function homes(p_route text, p_now timestamptz default at(1)) returns table (key text,
  home int)
language sql as $$
  select 'conversation ' || n, sluice.home_of('conversation ' || n, h.ids, h.weights)
  from generate_series(1, 3000) n cross join sluice.homes_of(p_route, null, p_now) h $$;
create temporary table first as select * from homes(:'r');

select is(count(*)::int, 3000, 'each key has one') from first;
select is_empty(format('select from homes(%L) h join first f using (key) where h.home <> f.home',
  :'r'), 'and keeps it');
select is(bool_and(n between 900 and 1100), true, 'equal weights, equal shares')
from (select count(*) as n from first group by home) x;
select is(h.weights, '{1,1,1}', 'by their weights') from sluice.homes_of(:'r', 'solve', at(1)) h;
select is(sluice.home_of('x', null, null), null, 'without models there is none');
select is(h.ids, null, 'such as of no route') from sluice.homes_of('no such route', null, at(1)) h;
select is(h.ids, null, 'or no model of the api')
from sluice.homes_of(:'r', 'openai-chat', at(1)) h;

update sluice.models set paused = true where name = :'b';
select is(sluice.is_able(model_row(:'b'), at(1)), false, 'a paused model is not able');
select is((select count(*) from homes(:'r') where home = id_of(:'b'))::int, 0,
  'and has no keys');
select is_empty(format('select from homes(%L) h join first f using (key)
  where h.home <> f.home and f.home <> id_of(%L)', :'r', :'b'), 'nobody else''s keys move');
select is(count(distinct h.home)::int, 2, 'its keys go to all others')
from homes(:'r') h join first f using (key) where f.home = id_of(:'b');
update sluice.models set paused = false where name = :'b';
select is_empty(format('select from homes(%L) h join first f using (key) where h.home <> f.home',
  :'r'), 'it has them back when it can be called');

update sluice.routes set weight = 8 where route = :'r' and model = :'a';
select is((select count(*) from homes(:'r') where home = id_of(:'a')) between 2280 and 2520, true,
  'weights hold over many keys');
select is_empty(format('select from homes(%L) h join first f using (key)
  where h.home <> f.home and h.home <> id_of(%L)', :'r', :'a'), 'and only the grown one gains');

update sluice.models set closed_until = at(5) where name = :'c';
select is(sluice.is_able(model_row(:'c'), at(1)), true,
  'who is closed for a moment keeps its keys');
update sluice.models set closed_until = at(60) where name = :'c';
select is(sluice.is_able(model_row(:'c'), at(1)), false, 'not who is for long');
update sluice.models set paused = true where name in (:'a', :'b', :'c');
select is_empty(format('select from homes(%L) h left join homes(%L) o using (key)
  where o.home is distinct from h.home', :'r', :'r'), 'when nobody can be called all keep theirs');

select * from finish();
rollback;
