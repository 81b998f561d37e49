begin;
\ir ../../_helpers.sql
select plan(4);

create function read_events(p_text text, out name text, out data jsonb) returns setof record
  language sql as $$
  select substring(e from '^event: (\S+)'), substring(e from 'data: (.*)$')::jsonb
  from string_to_table(p_text, E'\n\n') e where e <> ''
$$;
select '{"id": "r", "status": "completed", "output": [{"id": "t", "type": "reasoning",
  "summary": []}, {"id": "m", "type": "message", "status": "completed",
  "content": [{"type": "output_text", "text": "4", "annotations": []}]}]}' as answer \gset
create temporary table said as select e.* , row_number() over () as n
  from read_events(sluice.response_events(:'answer')) e;
select is(array(select name from said order by n),
  array['response.created', 'response.in_progress', 'response.output_item.added',
  'response.output_item.done', 'response.output_item.added', 'response.content_part.added',
    'response.output_text.delta',
  'response.output_text.done', 'response.content_part.done', 'response.output_item.done',
    'response.completed'], 'in their order');
select is_empty('select from said where data ->> ''type'' <> name or (data ->> '
                '''sequence_number'')::int <> n - 1', 'numbered');
select is((select data - 'sequence_number' from said where name = 'response.output_text.delta'),
  '{"type": "response.output_text.delta", "item_id": "m", "output_index": 1, "content_index": 0, '
  '"delta": "4", "logprobs": []}',
  'the text');
select is((select data -> 'response' from said where name = 'response.completed'), :'answer'::jsonb,
  'and all of it at the end');

select * from finish();
rollback;
