begin;
\ir ../../_helpers.sql
select plan(2);

-- The least of three times, in ms, for an answer of so many parts or blocks.
create function ms_of(p_api text, p_count int) returns numeric language plpgsql as $$
declare
  v_part text := (select string_agg('{"type": "output_text", "text": ""}', ',')
                  from generate_series(1, p_count));
  v_answer text := case p_api when 'openai-responses'
    then '{"output": [{"type": "message", "id": "m", "content": [' || v_part || ']}]}'
    else '{"content": [' || replace(v_part, 'output_text', 'text') || ']}' end;
  v_began timestamptz;
  v_ms numeric := 'infinity';
begin
  for i in 1 .. 3 loop
    v_began := clock_timestamp();
    perform sluice.events_of(p_api, v_answer);
    v_ms := least(v_ms, extract(epoch from clock_timestamp() - v_began) * 1000);
  end loop;
  return v_ms;
end
$$;

-- When each event was added to an array of all before it: 70 to 100 times.
select cmp_ok(ms_of('openai-responses', 4000), '<', 25 * ms_of('openai-responses', 400),
  'ten times as many parts take about ten times as long');
select cmp_ok(ms_of('anthropic-messages', 4000), '<', 25 * ms_of('anthropic-messages', 400),
  'and ten times as many blocks');

select * from finish();
rollback;
