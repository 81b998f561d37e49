begin;
\ir ../_helpers.sql
select plan(5);

select given_model(tpm => 6000) as m \gset
select given_tenant(rpm => 120) as t \gset
select array_agg(given_task(:'m', tenant => case when n % 2 = 0 then :'t' else 'default' end, max_output_tokens => 90,
  deadline => case when n = 1 then at(5) end) order by n) as ids from generate_series(1, 8) n \gset
create function verdicts(p_model text, p_want int, p_tokens bigint, p_now timestamptz) returns text[] language sql
as $$ select array_agg(verdict) from sluice.judge_rows(sluice.peek_rows(id_of(p_model), 100), p_want, p_tokens, p_now) $$;
select is(verdicts(:'m', 10, 100000, at(1)), '{taken,taken,taken,taken,taken,held,taken,held}', 'a tenant grants its first rows');
select is(verdicts(:'m', 10, 101, at(1)), '{taken,taken,left,left,left,left,left,left}', 'the model grants until its tokens are in debt');
select is(verdicts(:'m', 3, 100000, at(1)), '{taken,taken,taken,left,left,left,left,left}',
  'and no more than wanted; nobody is in the way then');
select is(verdicts(:'m', 10, 1, at(9)), '{taken,taken,left,left,left,left,left,left}', 'a late row is taken and costs nothing');
select is((select array_agg(tokens) from sluice.judge_rows(sluice.peek_rows(id_of(:'m'), 2), 9, 1000, at(9))), '{0,100}',
  'nor is anything reserved for it');

select * from finish();
rollback;
