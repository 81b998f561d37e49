begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_mark(:'m', -1) as before \gset
select given_mark(:'m', 0) as taken \gset
select given_mark(:'m', 1) as after \gset
select 'queue_' || id_of(:'m') as line \gset
select sluice.advance_marks(:'line', array[0]::smallint[], array[at(5)], -1::smallint, at(10));
select is(sluice.mark(:before), at(10) - sluice.mark_lag(), 'a lane that was scanned and gave nothing moves to now - lag');
select is(sluice.mark(:taken), at(5) - interval '1 microsecond', 'the lane that filled the claim stays before its rows');
select is(sluice.mark(:after), '-infinity', 'a lane that was not reached stays');
select sluice.advance_marks(:'line', null, null, 100::smallint, at(20));
select is(array[sluice.mark(:before), sluice.mark(:taken), sluice.mark(:after)], array_fill(at(19.75), array[3]),
  'an empty line moves all of them');

select * from finish();
rollback;
