-- sluice.end_solved
begin;
\ir ../../_helpers.sql
select plan(5);

-- The answer and the response that complete stores of a solved task.
create function stored(p_api text, p_keep boolean, p_answer text,
  p_request text default null) returns text[] language plpgsql
as $$
declare
  v_model text := given_model();
  v_worker bigint;
  v_task bigint;
begin
  update sluice.models set api = p_api, keep_response = p_keep where name = v_model;
  v_worker := given_worker(array[v_model]);
  v_task := case when p_request is null then given_task(v_model)
    else sluice.submit(request => p_request, model => v_model, p_now => at(0)) end;
  perform claimed(v_worker, 1), sluice.complete(v_worker, array[
    row(v_task, 1, 'solved', p_answer, '{"reply": 1}', null, null, 200, null, null, null,
      null)::sluice.outcome], at(2));
  return (select array[r.answer, r.response] from sluice.result r where r.task_id = v_task);
end
$$;
select is(stored('solve', null, 'answer'), array['answer', null], 'of api solve the answer alone');
select is(stored('openai-chat', null, 'answer'), array['answer', '{"reply": 1}'],
  'of a provider both');
select is(stored('openai-chat', false, 'answer'), array['answer', null],
  'unless it is not to be kept');
select is(stored('openai-embeddings', false, null), array[null, '{"reply": 1}'],
  'a reply that is all there is stays');

select is(stored('openai-chat', false, 'answer', '{"messages": []}'),
  array['answer', '{"reply": 1}'], 'and one to a client''s own request, who is answered with it');

select * from finish();
rollback;
