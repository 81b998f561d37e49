begin;
\ir ../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_mark(:'m') as lane \gset
select sluice.set_mark(:lane, at(5)), sluice.set_mark(:lane, at(-5)) \g /dev/null
select is(sluice.mark(:lane), at(-5), 'down as well as up');

select * from finish();
rollback;
