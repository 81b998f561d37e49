-- sluice.fallback_cause, sluice.fallback_of, sluice.fall_back, sluice.send_to
begin;
\ir ../../_helpers.sql
select plan(20);

select given_model() as small, given_model() as large, given_model() as other \gset
select given_route(:'small', :'other') as r \gset
update sluice.routes set weight = 0 where model = :'other';
select given_worker(array[:'small', :'large', :'other']) as w \gset
insert into sluice.fallbacks values (:'small', 'context_too_long', :'large'),
  (:'small', 'content_refused', :'other');
select is(array(select sluice.fallback_cause(k, c) from (values ('failed', 'context_too_long'),
    ('failed', 'content_refused'), ('solved', 'refusal'), ('solved', 'content_filter'),
    ('solved', 'length'), ('failed', 'http_400'), ('retry', 'context_too_long'),
    (null, null)) o(k, c)),
  '{context_too_long,content_refused,content_refused,content_refused,NULL,NULL,NULL,NULL}',
  'four outcomes have a cause');

select given_task(:'small') as t \gset
select claimed(:w, 1) \g /dev/null
select is(completed(:w, told(:t, 'failed', error => 'HTTP 400: too long', http_status => 400,
  error_code => 'context_too_long', billed => false)), true, 'a prompt is too long');
select is(places(:t), 'later', 'its task has not failed');
select results_eq(format($$select a.kind, a.model, a.fallback_to, a.error_code, a.error, a.fence,
    l.attempts from sluice.attempt a join sluice.later l using (task_id) where task_id = %s$$, :t),
  format($$values ('rerouted'::text, %L::text, %L::text, 'context_too_long'::text,
    'HTTP 400: too long'::text, 1, 1::smallint)$$, :'small', :'large'), 'why it left is noted');
select is((select m.name from sluice.task t join sluice.models m on m.id = t.model
  where t.id = :t), :'large', 'it names the other model');
select is(completed(:w, told(:t, 'failed', error_code => 'context_too_long'), at(2.1)), true,
  'the same outcome again is known');
select is((select count(*) from sluice.attempt where task_id = :t), 1::bigint, 'and noted once');
select matches(sluice.explain(:t, at(2)), format('; it went from %s to %s \(context too long\)$',
  :'small', :'large'), 'explain says so');
select is(sluice.wake(at(2.2)), 1, 'at once');
select is((select model from sluice.claim(:w, null, 1, at(2.3))), :'large', 'it is called there');
select is(completed(:w, told(:t, 'solved', 2, answer => 'x'), at(3)), true, 'and solved');
select results_eq(format($$select status, model, attempts from sluice.task(%s)$$, :t),
  format($$values ('solved'::text, %L::text, 2)$$, :'large'), 'with both calls counted');
select results_eq(format($$select kind, model from sluice.timeline(%s)$$, :t),
  format($$values ('submitted'::text, %1$L::text), ('claimed', %1$L), ('rerouted', %2$L),
    ('queued', %2$L), ('claimed', %2$L), ('ended', %2$L)$$, :'small', :'large'),
  'the timeline has it all');

-- of a route, and an answer that is a refusal
select given_task(:'r', p_now => at(4)) as q \gset
select claimed(:w, 1, at(4)) \g /dev/null
select is(completed(:w, told(:q, 'solved', answer => 'I will not.', error_code => 'refusal',
  input_tokens => 5, output_tokens => 3), at(5)), true, 'a refusal');
select is((select m.name from sluice.later l join sluice.models m on m.id = l.model
  where l.task_id = :q), :'other', 'goes on, too');
select is((select answer from sluice.attempt where task_id = :q), 'I will not.', 'and is kept');
select is(completed(:w, told(:q, 'solved', answer => 'I will not.', error_code => 'refusal'),
  at(5.1)), true, 'told again it is known');

-- without a fallback
select given_task(:'large', p_now => at(6)) as f, given_task(:'large', p_now => at(6)) as g \gset
select claimed(:w, 2, at(6)) \g /dev/null
select sluice.complete(:w, array[told(:f, 'failed', error_code => 'context_too_long'),
  told(:g, 'solved', answer => 'No.', error_code => 'refusal')], at(7)) \g /dev/null
select is(places(:f), 'failed', 'without a fallback it fails');
select is(places(:g), 'solved', 'and a refusal is an answer');
select is((select error_code from sluice.result where task_id = :g), 'refusal', 'as before');

select * from finish();
rollback;
