begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_mark(:'m') as lane \gset
select is(sluice.mark(:lane), '-infinity', 'never set: nothing is skipped');
select sluice.set_mark(:lane, at(0.000001));
select is(sluice.mark(:lane), at(0.000001), 'a microsecond is not lost');
select is((select relpersistence from pg_class where relname = 'mark_' || :lane), 'u', 'marks write no WAL');

select * from finish();
rollback;
