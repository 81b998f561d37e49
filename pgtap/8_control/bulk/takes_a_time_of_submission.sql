begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_task(:'m', p_now => at(0)) as a, given_task(:'m', p_now => at(5)) as b,
  given_task(:'m', p_now => at(9)) as c \gset
select is(sluice.cancel_all(:'m', since => at(5), until => at(9), p_now => at(10)), 1::bigint,
  'from then on and before then');
select is(array[places(:a), places(:b), places(:c)], array['queue', 'cancelled', 'queue'],
  'the one between');

select * from finish();
rollback;
