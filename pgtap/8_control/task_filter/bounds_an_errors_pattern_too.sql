begin;
\ir ../../_helpers.sql
select plan(2);

create function code_of(p_characters int) returns text language sql
as $$ select code from error_of(format('select sluice.redrive_all(error_like => %L)',
  repeat('%', p_characters))) $$;
select is(code_of(sluice.condition_bytes_max()), null, 'as long');
select is(code_of(sluice.condition_bytes_max() + 1), 'SL004', 'longer');

select * from finish();
rollback;
