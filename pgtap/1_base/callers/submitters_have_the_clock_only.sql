begin;
\ir ../../_helpers.sql
select plan(2);

select is(sluice.now_for(at(0)), at(0), 'who may everything may say the time');
select given_model() as m \gset
set local role sluice_submitter;
select sluice.submit('x', :'m', p_now => '2000-01-01') as t \gset
reset role;
select cmp_ok((select created_at from sluice.task where id = :t), '>', now() - interval '1 hour',
  'a submitter may not');

select * from finish();
rollback;
