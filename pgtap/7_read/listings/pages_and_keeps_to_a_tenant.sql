begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
create temporary table t as
select n, sluice.submit('x', :'m', tenant => case n % 2 when 0 then 'even' || pg_backend_pid()
  else 'odd' end, p_now => at(0)) as id
from generate_series(1, 10) n;
select 'even' || pg_backend_pid() as even \gset
select is(array(select sluice.newest_ids(null, 3, null, :'even')),
  array(select id from t where n in (10, 8, 6) order by n desc), 'the newest of the tenant');
select is(array(select sluice.newest_ids(null, 3, (select id from t where n = 6), :'even')),
  array(select id from t where n in (4, 2) order by n desc), 'then those before');
select is(array(select sluice.newest_ids('queued', 3, (select id from t where n = 6), :'even')),
  array(select id from t where n in (4, 2) order by n desc), 'the same by status');
select sluice.cancel(id, at(1)) from t where n in (2, 4, 6);
select is(array(select sluice.newest_ids('cancelled', 1, (select id from t where n = 6), :'even')),
  array(select id from t where n = 4), 'and of results');
select is(array(select sluice.newest_ids('solved', 9, null, :'even')), '{}', 'none');

select * from finish();
rollback;
