-- sluice.model_before, sluice.note_turn
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as a, given_model() as b, given_model() as c \gset
select given_worker(array[:'a', :'b', :'c']) as w \gset
select count(given_task(m)) from unnest(array[:'a', :'b', :'c']) m, generate_series(1, 6)
\g /dev/null
-- took: the models of claims of one task each, one after the other.
create function took(p_worker bigint, p_claims int) returns text language plpgsql
as $$
declare
  v_models text := '';
begin
  for n in 1 .. p_claims loop
    v_models := concat_ws(' ', nullif(v_models, ''),
      (select model from sluice.claim(p_worker, null, 1, at(1))));
  end loop;
  return v_models;
end
$$;
select is(took(:w, 7), concat_ws(' ', :'a', :'b', :'c', :'a', :'b', :'c', :'a'),
  'where there is a slot for one, each has its turn');
select set_eq(format('select model, count(*) from sluice.claim(%s, null, 3, at(1)) group by 1', :w),
  format('select unnest(array[%L, %L, %L]), 1::bigint', :'a', :'b', :'c'),
  'with a slot for each, each has one');

select * from finish();
rollback;
