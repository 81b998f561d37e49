-- sluice.may_take
begin;
\ir ../../_helpers.sql
\ir _served.sql
select plan(6);

-- Two models of equal weight, always something waiting. One is taken out for three seconds, in each
-- of the ways.
select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a', :'b']) as w \gset
create function done_by(p_model text) returns bigint language sql as $$ select count(*)
  from sluice.result where model = p_model $$;
-- shares: what each does in three seconds out, and in five back, of 2,000 new tasks.
create function shares(p_way text, p_a text, p_b text, p_route text, p_worker bigint,
  p_start numeric, out out_a bigint, out out_b bigint,
  out back_a bigint, out back_b bigint) language plpgsql
as $$
begin
  perform given_tasks(p_route, 3000, at(p_start));
  if p_way = 'closed' then
    update sluice.models set closed_until = at(p_start + 4) where name = p_a;
  elsif p_way = 'broken' then
    perform sluice.move_breaker(id_of(p_a), 'closed', 'open', 'down', at(p_start));
  else
    update sluice.models set rpm = 1, limits_changed_at = at(p_start) where name = p_a;
    update sluice.models set limits_changed_at = at(p_start) where name = p_a;
  end if;
  out_a := -done_by(p_a); out_b := -done_by(p_b);
  perform served(p_worker, array[p_a, p_b], 12, 100, p_start);
  out_a := out_a + done_by(p_a); out_b := out_b + done_by(p_b);
  if p_way = 'broken' then
    perform sluice.move_breaker(id_of(p_a), 'open', 'half_open', 'probe', at(p_start + 4)),
      sluice.move_breaker(id_of(p_a), 'half_open', 'closed', 'well', at(p_start + 4));
  else
    update sluice.models set closed_until = null, rpm = null where name = p_a;
  end if;
  back_a := -done_by(p_a); back_b := -done_by(p_b);
  perform served(p_worker, array[p_a, p_b], 8, 100, p_start + 4);
  back_a := back_a + done_by(p_a); back_b := back_b + done_by(p_b);
end
$$;
select * from shares('closed', :'a', :'b', :'r', :w, 0) \gset
select ok(:out_a = 0 and :out_b > 500,
  format('closed: the other takes all meanwhile: %s and %s', :out_a, :out_b));
select ok(:back_a > 300 and abs(100.0 * :back_a / (:back_a + :back_b) - 50) <= 15,
  format('then half again: %s and %s', :back_a, :back_b));
select * from shares('broken', :'a', :'b', :'r', :w, 20) \gset
select ok(:out_a <= 1 and :out_b > 500, format('broken: %s and %s', :out_a, :out_b));
select ok(:back_a > 300 and abs(100.0 * :back_a / (:back_a + :back_b) - 50) <= 15,
  format('then half again: %s and %s', :back_a, :back_b));
select * from shares('dry', :'a', :'b', :'r', :w, 40) \gset
select ok(:out_a <= 2 and :out_b > 500, format('out of permits: %s and %s', :out_a, :out_b));
select ok(:back_a > 300 and abs(100.0 * :back_a / (:back_a + :back_b) - 50) <= 15,
  format('then half again: %s and %s', :back_a, :back_b));

select * from finish();
rollback;
