-- sluice.advance_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

set local client_min_messages = error;
select given_speaker() as m \gset
select given_batch(:'m') as b \gset
select advanced(:b, 'run'), given_ends(:b), advanced(:b, 'write', at(2)) \g /dev/null
update sluice.batch set output_lifetime = '300000 years' where id = :b;
select advanced(:b, 'done', at(3)) \g /dev/null
select results_eq(format('select phase, position, look_at from sluice.batch where id = %s', :b),
  $$values ('write', 0, at(13))$$, 'its output would last beyond all times');
update sluice.batch set output_lifetime = '30 days' where id = :b;
select is(advanced(:b, 'done', at(12)), 'write', 'meanwhile it is in nobody''s way');
select is(advanced(:b, 'done', at(13)), 'done', 'then it is made');
select results_eq(format('select * from lines_of(%s)', :b), $$
  values ('c1', 'output')$$, 'nothing is lost');

select * from finish();
rollback;
