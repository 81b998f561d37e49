begin;
\ir ../_helpers.sql
select plan(10);

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
select sluice.submit(repeat('😀', 2200000), :'m') as wide \gset
select is((select octet_length(t ->> 'prompt') from sluice.read_texts(:wide, null) t), 8388608,
  'by bytes, and between two characters');
select is(sluice.read_texts(-1, null), null, 'there is no such task');

-- note_reading, audit_reading
create function readers(p_task bigint) returns text[] language sql
as $$ select array(select coalesce(api_key, 'nobody') from sluice.audit where object = p_task::text
  and action = 'read_texts' order by id) $$;
select sluice.submit('Mine?', :'m') as mine \gset
update sluice.task set api_key = '00000000000000aa' where id = :mine;
select ok(sluice.note_reading(:mine, '00000000000000aa'), 'a client reads its answer');
select is(readers(:mine), '{}', 'which is not noted');
select ok(sluice.note_reading(:mine, '00000000000000bb') and sluice.note_reading(:mine, null),
  'others read it');
select is(readers(:mine), '{00000000000000bb,nobody}', 'which is');
select sluice.submit('By SQL?', :'m') as plain \gset
select is((select sluice.note_reading(:plain, k) from (values (null)) v(k))
  and readers(:plain) = '{}', true, 'a front without keys reads what came without one');

select * from finish();
rollback;
