begin;
\ir ../../_helpers.sql
select plan(8);

select setseed(0.5);
select given_model(tpm => 6000) as m \gset
select id_of(:'m') as id \gset
create function input_ratio(p_id int) returns bigint
  language sql as $$ select sluice.counter('learned', p_id) >> 20 $$;
create function output_of(p_id int) returns bigint
  language sql as $$ select sluice.counter('learned', p_id) & 1048575 $$;
select sluice.learn_tokens(:id, 1000, 1000008, 1000000);
select is(input_ratio(:id), 281250::bigint, 'one absurd call moves the ratio by an eighth');
select is(output_of(:id), 576::bigint, 'and the answer');
select lives_ok(format('select sluice.learn_tokens(%s, 1000, -2147483648, 0)', :id),
  'what cannot be is none');
select cmp_ok(input_ratio(:id), '>', 279000::bigint, 'it moves it by less than a hundredth');
select sluice.learn_tokens(:id, 1000, 408, 50) from generate_series(1, 600) \g /dev/null
select is(input_ratio(:id), 400000::bigint,
  'the same again and again is what it learns: 400 tokens in 1,000 bytes');
select is(output_of(:id), 50::bigint, '50 an answer');
select sluice.learn_tokens(:id, 1000, 408, (random() * 1000)::int)
from generate_series(1, 2000) \g /dev/null
select cmp_ok(output_of(:id), '>', 800::bigint,
  'of answers of 0 to 1,000 tokens nearly all are below what it learns');
select cmp_ok(output_of(:id), '<', 1150::bigint, 'and not by much');

select * from finish();
rollback;
