begin;
\ir ../../_helpers.sql
select plan(7);

create function code_of(p_pattern text) returns text language sql
as $$ select code from error_of(format('select sluice.redrive_all(error_like => %L)',
  p_pattern)) $$;
select is(code_of(repeat('%', sluice.condition_bytes_max())), null, 'as long');
select is(code_of(repeat('%', sluice.condition_bytes_max() + 1)), 'SL004', 'longer');

-- A pattern that LIKE refuses would tell which errors there are, of whatever tenant.
select given_worker() as worker, given_task(given_model()) as task \gset
select claimed(:worker, 1), completed(:worker, told(:task, 'failed', error => 'x')) \g /dev/null
update sluice.result set error = 'rejected: name';
select is(code_of('rejected: n' || chr(92)), 'SL004',
  'an escape at the end, of an error that there is');
select is(code_of('no such error' || chr(92)), 'SL004', 'and of one that there is not');
select is(code_of(chr(92)), 'SL004', 'alone');
select is(code_of('%x' || repeat(chr(92), 3)), 'SL004', 'behind an escaped one');
select is(code_of('%x' || repeat(chr(92), 2)), null, 'a backslash that is meant itself');

select * from finish();
rollback;
