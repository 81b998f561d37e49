begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_mark(:'m', 0) as lane \gset
select 'queue_' || id_of(:'m') as line \gset
select sluice.advance_marks(:'line', array[0]::smallint[], array[at(5)], 100::smallint, at(10));
select is(sluice.mark(:lane), at(5) - interval '1 microsecond', 'the mark stays before the first row taken');
select sluice.advance_marks(:'line', array[0]::smallint[], array[at(9.9)], 100::smallint, at(10));
select is(sluice.mark(:lane), at(9.75), 'and never closer to now than the lag');

select * from finish();
rollback;
