begin;
\ir ../_helpers.sql
select plan(20);

-- As a tenant of its own: other tests' tasks are not its.
select given_tenant('sluice_submitter') as a \gset
select given_model() as m, given_model() as other \gset
select given_route(:'other') as r \gset
select given_worker(array[:'m']) as w \gset
select sluice.submit('the Sky', :'m', 5, :'a', metadata => '{"team": "x"}', batch_id => 7,
    p_now => at(0)) as t1,
  sluice.submit('two', :'m', tenant => :'a', metadata => '{"team": "y"}', p_now => at(300)) as t2,
  sluice.submit('three', :'m', tenant => :'a', p_now => at(600)) as t3,
  sluice.submit('four', :'r', tenant => :'a', p_now => at(900)) as t4,
  sluice.submit('five', :'other', tenant => :'a', run_at => at(9000), p_now => at(1200)) as t5 \gset
select claimed(:w, 1, at(1201)) \g /dev/null
select completed(:w, told(:t1, 'solved', answer => 'it is BLUE'), at(1202)) \g /dev/null
select sluice.cancel(:t2, at(1203)) \g /dev/null
create function found(variadic p_ids bigint[]) returns bigint[] language sql as $$ select p_ids $$;
set local role :"a";
create function pg_temp.ids(p_arguments text) returns bigint[] language plpgsql
as $$
declare
  v_ids bigint[];
begin
  execute format('select array(select id from sluice.find_tasks(%s))', p_arguments) into v_ids;
  return v_ids;
end
$$;
select is(pg_temp.ids(''), found(:t5, :t4, :t3, :t2, :t1), 'all, newest first');
select is(pg_temp.ids('max_tasks => 2'), found(:t5, :t4), 'as many as asked for');
select is(pg_temp.ids(format('before => %s', :t2)), found(:t1), 'before an id');
select is(pg_temp.ids(format('status => %L', s.status)), s.ids, s.status)
from (values ('unsolved', found(:t5)), ('queued', found(:t4, :t3)), ('cancelled', found(:t2)),
  ('solved', found(:t1)), ('processing', '{}')) s(status, ids);
select is(pg_temp.ids(format('model => %L, status => %L', :'m', 'queued')), found(:t3),
  'in the line of a model');
select is(pg_temp.ids(format('model => %L, status => %L', :'r', 'queued')), found(:t4),
  'in those of a route');
select is(pg_temp.ids(format('model => %L', :'m')), found(:t3, :t2, :t1), 'of a model');
select is(pg_temp.ids('priority => 5'), found(:t1), 'of a priority');
select is(pg_temp.ids('batch_id => 7'), found(:t1), 'of a batch');
select is(pg_temp.ids('metadata_key => ''team'''), found(:t2, :t1), 'with a key of metadata');
select is(pg_temp.ids('metadata_key => ''team'', metadata_value => ''y'''), found(:t2),
  'with its value');
select is(pg_temp.ids('error_code => ''cancelled'''), found(:t2), 'with an error code');
select is(pg_temp.ids('since => at(300), until => at(900)'), found(:t3, :t2), 'of a time');
select is(pg_temp.ids('text => ''sky'''), found(:t1), 'with a text in its prompt');
select is(pg_temp.ids('text => ''blue'''), found(:t1), 'or in its answer');
-- has_text, searched_text, searched_place, search_step, check_search

select sluice.submit('x', :'m', tenant => :'a') from generate_series(1, 60) \g /dev/null
select is((select count(*) from sluice.find_tasks(max_tasks => null)), 50::bigint,
  '50, where no number is asked for');

select * from finish();
rollback;
