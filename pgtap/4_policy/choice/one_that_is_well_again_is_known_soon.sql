-- sluice.note_speeds
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(6);

select given_model() as m, given_model() as steady, given_model() as varied \gset
select given_choice('latency', :'m', :'steady', :'varied') as r \gset
select given_worker(array[:'m', :'steady', :'varied']) as w \gset
-- ended: one call of a model.
create function ended(p_model text, p_worker bigint, p_from numeric, p_seconds numeric, p_kind text,
  p_tokens int default 10) returns void language sql
as $$
  select given_task(p_model, p_now => at(p_from));
  select count(*) from sluice.complete(p_worker, array(
    select told(c.task_id, p_kind, c.fence, 'x', output_tokens => p_tokens)
    from sluice.claim(p_worker, array[p_model], 1, at(p_from)) c), at(p_from + p_seconds));
$$;
create function ms_a_token(p_model text, p_now numeric) returns numeric language sql
as $$
  select round(1000 * (sluice.rival_of(model_row(p_model), at(p_now))).seconds::numeric)
$$;
select given_speed(:'m', 0.05), given_speed(:'steady', 0.05), given_speed(:'varied', 0.05)
  \g /dev/null
-- twenty time-outs of ten seconds, as long as 20 answers each
update sluice.speed set seconds = 250, tokens = 270, solved = 27 where model = id_of(:'m')
  \g /dev/null
select is(ms_a_token(:'m', 0), 926::numeric, 'time-outs: it is known as 18 times slower');
select ended(:'m', :w, 2 * n, 0.5, 'solved') from generate_series(0, 4) n \g /dev/null
select cmp_ok(ms_a_token(:'m', 9), '<', 150::numeric, 'five answers show that it is well');
select ended(:'m', :w, 9, 10, 'retry') \g /dev/null
select cmp_ok(ms_a_token(:'m', 19), '>', 400::numeric, 'a late time-out counts in full');
select ended(:'m', :w, 20 + n, 0.5, 'solved') from generate_series(0, 3) n \g /dev/null
select cmp_ok(ms_a_token(:'m', 24), '<', 100::numeric, 'until a few answers more');

select ended(:'steady', :w, n, 0.2, 'solved') from generate_series(0, 4) n \g /dev/null
select is((select round(s.tokens::numeric, 1) from sluice.speed_of(id_of(:'steady'), at(5)) s),
  round(1000 * exp(-0.42) + 10 * (exp(-0.4) + exp(-0.3) + exp(-0.2) + exp(-0.1) + 1), 1),
  'answers of 40 % of the time let nothing fade');
select ended(:'varied', :w, 0, 4, 'solved', 1000), ended(:'varied', :w, 4, 0.1, 'solved', 1)
  \g /dev/null
select is((select round(s.tokens::numeric) from sluice.speed_of(id_of(:'varied'), at(5)) s),
  round(1000 * exp(-0.41) + 1000 * exp(-0.01) + 1), 'nor does a long one, or a short one');

select * from finish();
rollback;
