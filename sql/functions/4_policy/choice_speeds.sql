-- How fast models are: what the routes go by that choose among their models (choice.sql).
--
-- A completion adds a row for each of its models that such a route has (models.is_compared). The
-- row holds sums over the model's calls, in which a call counts the less the longer ago it ended.
-- A model's speed is the quotient of two of them: the seconds that its calls took by the tokens
-- that they put out. A call that failed adds its seconds, and the backoff after it, but no tokens:
-- that is what it costs its task.
-- Of two completions at once each goes on from the row before, so the calls of one are lost, their
-- seconds and tokens alike. The quotient stays right, nobody waits, and no row is hot (D-363).

-- speed_of: the newest row of a model; all null: nothing is known of it.
create or replace function sluice.speed_of(p_model int, p_now timestamptz) returns sluice.speed
language plpgsql volatile
as $$
declare
  -- What is known of a model that has ended no call for so long counts no more: it is tried anew.
  c_kept constant interval := '10 minutes';
  v_speed sluice.speed;
begin
  if not pg_is_in_recovery() then
    select * into v_speed from sluice.speed s where s.model = p_model
    order by s.model, s.n desc limit 1;
  end if;
  return case when v_speed.at between p_now - c_kept and p_now + interval '1 minute'
    then v_speed end;
end
$$;

-- faded: what the sums of p_speed count for at p_now. Nothing fades to less than 37 % at a time, so
-- that after a pause one call does not outweigh all that is known. (1e-9: a sum that faded for
-- hours, with nothing added, would end as an underflow, which is an error.)
create or replace function sluice.faded(p_speed sluice.speed, p_now timestamptz)
returns sluice.speed
language plpgsql immutable
as $$
declare
  -- After so long an ended call counts for 37 %. In bench/routing a model that becomes three times
  -- slower loses its calls within 5 s, and has half of them again after 6 s. The slowest call is
  -- remembered for longer, because deadlines are kept by it.
  c_memory_s constant double precision := 10;
  c_slowest_memory_s constant double precision := 60;
  v_gone_s double precision := greatest(0, extract(epoch from p_now - p_speed.at));
  v_left double precision := exp(-least(1, v_gone_s / c_memory_s));
begin
  p_speed.seconds := greatest(1e-9, p_speed.seconds * v_left);
  p_speed.tokens := greatest(1e-9, p_speed.tokens * v_left);
  p_speed.solved := greatest(1e-9, p_speed.solved * v_left);
  p_speed.slowest := greatest(1e-9,
    p_speed.slowest * exp(-least(50, v_gone_s / c_slowest_memory_s)));
  return p_speed;
end
$$;

-- note_speeds: adds ended calls of models that are compared to what is known of these. A task's own
-- fault, a refusal and an abort say nothing of a model's speed. A backend that does not tell how
-- many tokens an answer has is taken at 4 bytes a token.
create or replace function sluice.note_speeds(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  -- Answers that took less than this part of the time that is known show that the model has
  -- changed, mostly that it is well again: what is known fades by them to 37 %. Or a few time-outs,
  -- each as long as 20 answers, hide for 40 s that all is well. A model that is slow because one
  -- such call in eleven or more times out stays known as three times slower than its answers.
  c_recovered_part constant double precision := 1 / 3::double precision;
  -- So much counts what is known of a model beside the answer to a probe: its breaker was open,
  -- mostly after time-outs, and one answer shows how fast it is now. (Not 0: sums stay above 0, and
  -- the slowest call is kept, so that deadlines are not tried on it.)
  c_probed_part constant double precision := 1e-6;
begin
  insert into sluice.speed (model, n, at, seconds, tokens, solved, slowest)
  select c.model, nextval('sluice.mark_id'), p_now, (f.speed).seconds * k.part + c.seconds,
    (f.speed).tokens * k.part + c.tokens, (f.speed).solved * k.part + c.solved,
    greatest((f.speed).slowest, c.slowest)
  from (
    select m.id as model, max(l.took) as slowest,
      sum(l.took + case o.kind when 'retry' then extract(epoch from m.backoff_base) else 0 end)
        as seconds,
      coalesce(sum(greatest(1, coalesce(o.output_tokens, octet_length(o.answer) / 4)))
        filter (where o.kind = 'solved'), 0) as tokens,
      count(*) filter (where o.kind = 'solved') as solved
    from unnest(p_ended) e
    cross join lateral (
      select (e.lease).model, greatest(0, extract(epoch from p_now - (e.lease).started_at)) as took)
      l
    join sluice.models m on m.id = l.model and m.is_compared
    cross join lateral (select (x.o).* from (select p_outcomes[e.place] as o offset 0) x) o
    where o.kind in ('solved', 'retry') group by m.id) c
  cross join lateral (
    select sluice.faded(sluice.speed_of(c.model, p_now), p_now) as speed offset 0) f
  cross join lateral (
    -- A long answer has more tokens a second, a short one ends sooner: neither is a recovery, nor
    -- one that took no time because the clock was set back.
    select case
      when c.solved > 0 and exists (select from sluice.breaker b where b.model = c.model
          and (b.state = 'half_open' or b.state = 'closed' and b.since = p_now))
        then c_probed_part
      when nullif(c.seconds, 0) * greatest((f.speed).tokens / nullif(c.tokens, 0),
          (f.speed).solved / nullif(c.solved, 0)) < c_recovered_part * (f.speed).seconds
        then exp(-1) else 1 end as part) k;
end
$$;

-- note_speed_kept: notes that a model of which something is known begins to have calls under way,
-- so that the time without any does not count as silence.
create or replace function sluice.note_speed_kept(p_model int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_speed sluice.speed := sluice.speed_of(p_model, p_now);
begin
  if v_speed.at < p_now then
    v_speed := sluice.faded(v_speed, p_now);
    insert into sluice.speed (model, n, at, seconds, tokens, solved, slowest)
    values (p_model, nextval('sluice.mark_id'), p_now, v_speed.seconds, v_speed.tokens,
      v_speed.solved, v_speed.slowest);
  end if;
end
$$;
