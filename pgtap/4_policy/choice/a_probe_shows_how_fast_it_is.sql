-- sluice.note_speeds
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(7);

select given_model() as m, given_model() as other \gset
select id_of(:'m') as id \gset
select given_choice('latency', :'m', :'other') as r \gset
select given_worker(array[:'m', :'other']) as w \gset
-- ended: one call of m.
create function ended(p_model text, p_worker bigint, p_from numeric, p_seconds numeric, p_kind text)
  returns void language sql
as $$
  select given_task(p_model, p_now => at(p_from));
  select count(*) from sluice.complete(p_worker, array(
    select told(c.task_id, p_kind, c.fence, 'x', output_tokens => 10)
    from sluice.claim(p_worker, array[p_model], 1, at(p_from)) c), at(p_from + p_seconds));
$$;
create function ms_a_token(p_model text, p_now numeric) returns numeric language sql
as $$
  select round(1000 * (sluice.rival_of(model_row(p_model), at(p_now))).seconds::numeric)
$$;
-- twenty time-outs of ten seconds, as long as 20 answers each, have opened the breaker
select given_speed(:'m', 0.05, p_slowest => 10), given_speed(:'other', 0.1) \g /dev/null
update sluice.speed set seconds = 250, tokens = 270, solved = 27 where model = :id \g /dev/null
select sluice.move_breaker(:id, 'closed', 'open', 'test', at(0)) \g /dev/null
select ended(:'m', :w, 31, 0.5, 'solved') \g /dev/null
select is((select state from sluice.breaker where model = :id), 'half_open', 'a probe succeeds');
select is(ms_a_token(:'m', 31.5), 50::numeric, 'it alone says how fast the model is');
select cmp_ok((sluice.rival_of(model_row(:'m'), at(31.5))).slowest, '>', 5::float8,
  'the slowest call is kept');
select ended(:'m', :w, 32, 0.8, 'solved') \g /dev/null
select is((select state from sluice.breaker where model = :id), 'closed', 'a second one closes it');
select is(ms_a_token(:'m', 32.8), 80::numeric, 'and counts');
select ended(:'m', :w, 33, 0.4, 'solved') \g /dev/null
select is(ms_a_token(:'m', 33.4), 59::numeric, 'from then on sums go on');

select sluice.move_breaker(:id, 'closed', 'open', 'test', at(40)) \g /dev/null
select ended(:'m', :w, 71, 10, 'retry') \g /dev/null
select cmp_ok(ms_a_token(:'m', 81), '>', 500::numeric, 'a probe that times out counts as any call');

select * from finish();
rollback;
