begin;
\ir ../../_helpers.sql
select plan(2);

select given_model(tpm => 6000) as m \gset
select id_of(:'m') as id \gset
insert into sluice.spent (account, at, tokens)
  values (:id, at(940), 1), (:id, at(1000), 2), (:id, at(30), 4);
select sluice.mend_bucket(sluice.token_quota(model_row(:'m')), at(50));
select is((select array_agg(at order by tokens) from sluice.spent where account = :id),
  array[at(-10), at(50), at(30)],
  'as a whole, until nothing lies ahead; what lies in the past stays');
select is(sluice.tokens_spent(:id, at(50)), 7::bigint, 'so it counts for a minute at most');

select * from finish();
rollback;
