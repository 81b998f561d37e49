begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(tpm => 100) as m \gset
select id_of(:'m') as id \gset
insert into sluice.spent (account, at, tokens) values (:id, at(0), 30), (:id, at(5), 60),
  (:id, at(9), 70), (:id, at(5), -20);
select is(sluice.tokens_free_at(:id, 200, at(10)), at(10),
  'now, while there is less than the limit');
select is(sluice.tokens_free_at(:id, 140, at(10)), at(60.25), 'after the first');
select is(sluice.tokens_free_at(:id, 100, at(10)), at(65.25), 'after what was settled since');
select is(sluice.tokens_free_at(:id, 70, at(10)), at(69.25), 'less than, not as much as');
select is(sluice.tokens_spent(:id, sluice.tokens_free_at(:id, 100, at(10))) < 100, true,
  'then it is so');

select * from finish();
rollback;
