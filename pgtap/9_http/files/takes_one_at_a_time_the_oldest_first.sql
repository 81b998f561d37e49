begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

create function left_of(p_files bigint[]) returns bigint[] language sql
as $$ select array(select id from sluice.file where id = any (p_files) order by id) $$;
select given_file(array['x']) as a, given_file(array['x']) as b, given_file(array['x']) as c \gset
update sluice.file set expires_at = at(10) where id = :b;
update sluice.file set expires_at = at(20) where id = :a;
select is(sluice.drop_old_files(at(9)), false, 'not before its time');
select is(sluice.drop_old_files(at(20)), true, 'there is one');
select is(left_of(array[:a, :b, :c]), array[:a, :c]::bigint[], 'the oldest');
select is(sluice.drop_old_files(at(20)), true, 'another one');
select is(sluice.drop_old_files(at(20)), false, 'no more');
select is(left_of(array[:a, :b, :c]), array[:c::bigint], 'what has time stays');

select * from finish();
rollback;
