begin;
\ir ../../_helpers.sql
select plan(27);

select given_model() as m \gset
create function refused(p_bad text) returns table (code text, message text, hint text) language sql
as $$
  select (error_of(format('select sluice.submit_many(%L)',
    format('[{"prompt": "a", "model": "%1$s"}, {"prompt": "b", "model": "%1$s"}, %2$s]',
      m.name, p_bad)))).*
  from sluice.models m where m.name like format('model-%s-%%', pg_backend_pid())
$$;
create temp table bad on commit drop as
select b.what, b.code as want, r.* from (values
  ('SL004', 'no object', '1'),
    ('SL004', 'an unknown key', format('{"prompt": "c", "modle": "%s"}', :'m')),
  ('SL004', 'a priority that is no number', '{"prompt": "c", "priority": "high"}'),
  ('SL004', 'a priority beyond int', '{"prompt": "c", "priority": 1e12}'),
  ('SL004', 'a time that is none', '{"prompt": "c", "run_at": "soon"}'),
  ('SL004', 'neither prompt nor request', '{}'), ('SL004', 'a broken request', '{"request": "{"}'),
  ('SL001', 'an unknown model', '{"prompt": "c", "model": "nobody"}')) b(code, what, element)
cross join lateral refused(b.element) r;
select is(code, want, what || ' is ' || want) from bad;
select matches(message, '^task 3: ', what || ': the message has its number') from bad;
select isnt(hint, '', what || ': there is a hint') from bad;
select is_empty(format('select * from sluice.task where model = %s', id_of(:'m')),
  'of the good ones none was stored');
select is((error_of($$select sluice.submit_many('{"prompt": "a"}')$$)).code, 'SL004',
  'an object in place of an array is SL004');
select is((error_of($$select sluice.submit_many(null)$$)).code, 'SL004', 'and so is null');

select * from finish();
rollback;
