begin;
\ir ../../_helpers.sql
select plan(3);

create function registered(p_models text[]) returns text[] language plpgsql
as $$
declare
  v_id bigint := sluice.register_worker('w', 4, p_models, null, at(0));
begin
  return (select models from sluice.worker where id = v_id);
end
$$;
select is(registered(array['b', 'a', 'b']), array['a', 'b'],
  'workers of the same models share a watcher, however named');
select is(registered(null), null, 'all stays all');
select is(registered('{}'), '{}', 'none stays none');

select * from finish();
rollback;
