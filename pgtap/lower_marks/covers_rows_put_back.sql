begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_mark(:'m', 0) as high \gset
select given_mark(:'m', 1) as low \gset
select 'queue_' || id_of(:'m') as line \gset
select sluice.set_mark(:high, at(10)), sluice.set_mark(:low, at(1)) \g /dev/null
select sluice.lower_marks(:'line', array[0, 1, 2]::smallint[], array[at(5), at(5), at(5)]);
select is(sluice.mark(:high), at(5) - interval '1 microsecond', 'a mark above the row is lowered below it');
select is(sluice.mark(:low), at(1), 'a mark below the row stays');
select sluice.lower_marks(:'line', array[0]::smallint[], array[sluice.mark(:high)]);
select cmp_ok(sluice.mark(:high), '<', at(5) - interval '1 microsecond', 'a mark equal to the row is lowered as well');

select * from finish();
rollback;
