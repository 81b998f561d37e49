-- sluice.take_turns
begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(7);

-- Ten tenants, weights 1 to 4, tasks of 100 or 400 tokens, one of 25 and 250 in turn: 150 tasks
-- each, on average, in claims of p_n.
create function given_ten() returns text language plpgsql
as $$
declare
  v_model text := given_model();
begin
  for n in 1 .. 10 loop
    insert into sluice.tenants (name, weight) values (v_model || '-' || n, 1 + n % 4);
    perform waits(v_model, v_model || '-' || n, case when n % 2 = 0 then 1500 else 700 end,
      case when n % 2 = 0 then 400 else 1600 end);
  end loop;
  update sluice.queue set request_bytes = case when task_id % 10 = 0 then 1000
    else 100 end where tenant = v_model || '-2';
  return v_model;
end
$$;
create function worst(p_n int, p_claims int) returns numeric language plpgsql
as $$
declare
  v_model text := given_ten();
  v_worker bigint := given_worker(array[v_model]);
begin
  for v_claim in 1 .. p_claims loop
    perform claimed(v_worker, p_n, at(60 + v_claim * 0.01));
  end loop;
  return (select max(abs(s.share - 1)) from shares(v_model) s);
end
$$;
select cmp_ok(worst(1, 1500), '<=', 0.03, 'places given one by one');
select cmp_ok(worst(10, 150), '<=', 0.03, 'ten at a time');
select cmp_ok(worst(250, 10), '<=', 0.02, 'two hundred and fifty');

-- A hundred and fifty tenants, of whom a claim looks at a few; 40 tasks each: two of them are 5 %.
select given_model() as m \gset
insert into sluice.tenants (name, weight) select :'m' || '-' || n, 1 + n % 3
from generate_series(1, 150) n;
select waits(:'m', :'m' || '-' || n, 120, case when n % 2 = 0 then 40 else 80 end)
from generate_series(1, 150) n \g /dev/null
select given_worker(array[:'m']) as w \gset
select claimed(:w, case when n % 10 = 0 then 1 else 64 end, at(60 + n * 0.01))
from generate_series(1, 110) n \g /dev/null
select is((select count(*) from shares(:'m')), 150::bigint,
  'of many lanes every one has its turns');
select cmp_ok((select min(share) from shares(:'m')), '>=', 0.9, 'none is behind');
select cmp_ok((select max(share) from shares(:'m')), '<=', 1.1, 'none before');
select cmp_ok((select stddev(share) from shares(:'m')), '<=', 0.05, 'and they do not differ');

select * from finish();
rollback;
