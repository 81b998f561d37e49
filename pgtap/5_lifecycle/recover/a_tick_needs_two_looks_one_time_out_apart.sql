begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(p_now => at(0)) as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select is(sluice.recover(null, at(100)), 0, 'the first look suspects');
select is((select suspected_at from sluice.worker where id = :w), at(100), 'and notes it');
select is(sluice.recover(null, at(110)), 0, 'less than a time-out later it suspects still');
select is(sluice.recover(null, at(115)), 1, 'a time-out later it is sure');

select * from finish();
rollback;
