begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

create function ids_of(p_list json) returns bigint[] language sql
as $$ select array(select substr(e ->> 'id', 6)::bigint
  from json_array_elements(p_list -> 'data') e) $$;
-- paged: pages of two, each after the last of the one before.
create function paged(p_ascending boolean) returns bigint[] language plpgsql
as $$
declare
  v_page json;
  v_all bigint[] := '{}';
begin
  loop
    v_page := sluice.list_files('t', null, v_all[cardinality(v_all)], 2, p_ascending);
    v_all := v_all || ids_of(v_page);
    exit when not (v_page ->> 'has_more')::boolean;
  end loop;
  return v_all;
end
$$;
create temporary table his as select given_file(array['x'], 't') as id from generate_series(1, 5);
select given_file(array['x'], 'u') as anothers \gset
select is(paged(false), array(select id from his order by id desc), 'newest first');
select is(paged(true), array(select id from his order by id), 'or oldest first');
select is(sluice.list_files('t', null, null, 5, false) ->> 'has_more', 'false',
  'a full last page has no next one');
select is(ids_of(sluice.list_files(null, null, null, 2, false)),
  array[:anothers, (select max(id) from his)], 'null is every tenant');

select * from finish();
rollback;
