begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select sluice.submit('2+2?', :'m') as t \gset
select claimed(:w, 1) \g /dev/null
select completed(:w, told(:t, 'solved', answer => '4')) \g /dev/null
select set_config('sluice.api_key', '0123456789abcdef', true) \g /dev/null
select is(sluice.read_texts(:t, 'default'), '{"prompt": "2+2?", "request": null, "answer": "4",
  "response": null, "cut": []}', 'the texts');
select is((select array[api_key, action, object] from sluice.audit order by id desc limit 1),
  array['0123456789abcdef', 'read_texts', :t::text], 'and who read them');
select sluice.submit(repeat('x', 9000000), :'m') as long \gset
select is((select array[t ->> 'cut', length(t ->> 'prompt')::text]
  from sluice.read_texts(:long, null) t), array['["prompt"]', '2097152'],
  'a long one is cut, and that is said');
-- cut_text
select is(sluice.cut_text('äöü', 6), 'äöü', 'bytes are counted');
select is(sluice.cut_text('äöüä', 6), 'ä', 'no character is cut in two');
select is(sluice.read_texts(-1, null), null, 'there is no such task');

select * from finish();
rollback;
