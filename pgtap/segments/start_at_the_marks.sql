begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_mark(:'m', 3) as lane \gset
select 'queue_' || id_of(:'m') as line \gset
select is((select lo_ready from sluice.segments(:'line') where lo_rank = 3), '-infinity',
  'a lane whose mark was never set, or lost in a crash, is scanned from the start');
select sluice.set_mark(:lane, at(7));
select is((select lo_ready from sluice.segments(:'line') where lo_rank = 3), at(7), 'then from its mark');
select is((select count(*) from sluice.segments(:'line') where lo_ready = '-infinity'), 2::bigint, 'gaps from the start');

select * from finish();
rollback;
