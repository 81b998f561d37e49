begin;
\ir ../_helpers.sql
select plan(3);

-- A permit every ten seconds; 200 tasks, which all went straight to the queue; a worker that looks every second for two minutes.
select given_model() as m \gset
select given_tenant(rpm => 6) as t \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m', tenant => :'t') from generate_series(1, 200) \g /dev/null
create function rows_into_the_queue(p_model text) returns bigint language sql
as $$ select pg_stat_get_xact_tuples_inserted(('sluice.queue_' || id_of(p_model))::regclass) $$;
create function look(p_model text, p_worker bigint, p_from int, p_to int) returns bigint language plpgsql
as $$
declare
  v_claimed bigint := 0;
begin
  for v_second in p_from .. p_to loop
    perform sluice.admit(p_model, null, at(v_second));
    v_claimed := v_claimed + cardinality(claimed(p_worker, 10, at(v_second)));
  end loop;
  return v_claimed;
end
$$;
select look(:'m', :w, 1, 20) \g /dev/null
select rows_into_the_queue(:'m') as before \gset
select is(sluice.depth(id_of(:'m'), 10), 0, 'the others wait in the backlog');
select look(:'m', :w, 21, 120) as claimed \gset
select ok(:claimed between 8 and 11, format('a hundred seconds, %s permits', :claimed));
select is(rows_into_the_queue(:'m') - :before, :claimed::bigint, 'and as many rows moved');

select * from finish();
rollback;
