-- sluice.note_speeds
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(7);

select given_model() as a, given_model() as b, given_model() as other \gset
select given_choice('latency', :'a', :'b') as r \gset
select given_worker(array[:'a', :'b', :'other']) as w \gset
create function ended(p_model text, p_worker bigint, p_from numeric, p_to numeric, p_kind text,
  p_tokens int, p_answer text default 'x') returns void language sql
as $$
  select given_task(p_model, p_now => at(p_from));
  select count(*) from sluice.complete(p_worker, array(
    select told(c.task_id, p_kind, c.fence, p_answer, output_tokens => p_tokens)
    from sluice.claim(p_worker, array[p_model], 1, at(p_from)) c), at(p_to));
$$;
create function known(p_model text, p_now numeric) returns numeric[] language sql
as $$ select array[round(s.seconds::numeric, 3), round(s.tokens::numeric, 3),
  round(s.solved::numeric, 3), round(s.slowest::numeric, 3)]
  from sluice.speed_of(id_of(p_model), at(p_now)) s $$;
select ended(:'a', :w, 1, 3, 'solved', 100) \g /dev/null
select is(known(:'a', 3), '{2,100,1,2}', 'a call');
select ended(:'a', :w, 3, 3, 'solved', null, repeat('x', 400)) \g /dev/null
select is(known(:'a', 3), '{2,200,2,2}', 'who does not tell its tokens: 4 bytes each');
select ended(:'a', :w, 3, 3, 'retry', null) \g /dev/null
select is(known(:'a', 3), '{3,200,2,2}', 'a failure costs its backoff');
select ended(:'a', :w, 3, 3, 'failed', null), ended(:'a', :w, 3, 3, 'returned', null),
  ended(:'a', :w, 3, 3, 'cancelled', null) \g /dev/null
select is(known(:'a', 3), '{3,200,2,2}', 'what is not the backend''s says nothing');
select ended(:'a', :w, 13, 13, 'solved', 100) \g /dev/null
select is(known(:'a', 13), '{1.104,173.576,1.736,1.693}', 'in ten seconds the rest fades to 37 %');
select ended(:'other', :w, 14, 15, 'solved', 100) \g /dev/null
select is(known(:'other', 15), array[null, null, null, null]::numeric[],
  'of a model in no such route nothing is noted');
select ended(:'b', :w, 16, 16, 'solved', 0) \g /dev/null
select is(known(:'b', 16), '{0,1,1,0}', 'an answer without tokens has one');

select * from finish();
rollback;
