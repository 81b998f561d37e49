begin;
\ir ../../_helpers.sql
select plan(7);

-- In ms, for an answer of so many parts or blocks.
create function ms_of(p_api text, p_count int) returns numeric language plpgsql as $$
declare
  v_part text := (select string_agg('{"type": "output_text", "text": ""}', ',')
                  from generate_series(1, p_count));
  v_answer text := case p_api when 'openai-responses'
    then '{"output": [{"type": "message", "id": "m", "content": [' || v_part || ']}]}'
    else '{"content": [' || replace(v_part, 'output_text', 'text') || ']}' end;
  v_began timestamptz := clock_timestamp();
begin
  perform sluice.events_of(p_api, v_answer);
  return extract(epoch from clock_timestamp() - v_began) * 1000;
end
$$;

-- The machine is busy with other tests: one of ten comparisons is enough. When each event was added
-- to an array of all before it, ten times as many took 70 to 100 times as long.
create function is_linear(p_api text) returns boolean language plpgsql as $$
begin
  for i in 1 .. 10 loop
    if ms_of(p_api, 4000) < 25 * ms_of(p_api, 400) then
      return true;
    end if;
  end loop;
  return false;
end
$$;

select is(is_linear('openai-responses'), true,
  'ten times as many parts take about ten times as long');
select is(is_linear('anthropic-messages'), true, 'and ten times as many blocks');

-- has_events
create function are_told(p_api text, p_count bigint, p_id_chars int default 1) returns boolean
language sql as $$
  select sluice.events_of(p_api, case p_api when 'openai-responses'
    then '{"output": [{"type": "message", "id": "' || repeat('i', p_id_chars) || '", "content": '
      || c || '}]}'
    else '{"content": ' || c || '}' end) is not null
  from (select '[' || repeat('{"type": "text", "text": ""},', p_count::int - 1)
    || '{"type": "text", "text": ""}]' as c) v $$;
select 8388608 / 300 as most \gset
select is(are_told('anthropic-messages', :most), true, 'so many blocks are told as events');
select is(are_told('anthropic-messages', :most + 1), false, 'no more of them');
select is(are_told('openai-responses', :most), false, 'an item and its parts have its id beside');
-- 4 MB of an id of 1,000 characters and 130,000 parts became 2.5 GB, 390 KB of one of 200,000
-- characters and 5,000 parts 4 GB.
select is(are_told('openai-responses', 5000, 1000), true, 'long ids');
select is(are_told('openai-responses', 6500, 1000), false, 'have fewer');

select * from finish();
rollback;
