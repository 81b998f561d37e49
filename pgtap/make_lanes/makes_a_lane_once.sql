begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select 'queue_' || id_of(:'m') as line \gset
select given_lanes(:'line', 0, 1);
select id from sluice.lane where line = :'line' and rank = 0 \gset
select lives_ok(format('select given_lanes(%L, 0, 2)', :'line'), 'a known rank is no error');
select set_eq(format('select rank::int from sluice.lane where line = %L', :'line'), array[0, 1, 2], 'each rank has one lane');
select is((select id from sluice.lane where line = :'line' and rank = 0), :id, 'the known one stays');
select is((select count(*) from sluice.lane l join pg_class c on c.relname = 'mark_' || l.id where l.line = :'line'),
  3::bigint, 'each lane has its mark');

select * from finish();
rollback;
