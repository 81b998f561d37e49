begin;
\ir ../../_helpers.sql
select plan(5);

select sluice.begin_file('batch', 'x', 't', at(0)) as f \gset
select sluice.append_file(:f, 0, 2, E'ü\nb\n'), sluice.append_file(:f, 1, 1, 'c') \g /dev/null
select is(sluice.end_file(:f, '2 h')::jsonb -> 'bytes', '6', 'bytes, not characters');
select results_eq(format('select bytes, lines, expires_at from sluice.file where id = %s', :f),
  $$values (6::bigint, 3, at(7200))$$, 'and says how long it stays');
select is(sluice.show_file(:f, 't')::jsonb ->> 'id', 'file-' || :f, 'it is there');
select sluice.begin_file('batch', 'x', 't', at(0)) as empty \gset
select is(sluice.end_file(:empty, '2 h')::jsonb -> 'bytes', '0', 'nothing is something');
select is(sluice.end_file(-1, '2 h')::jsonb, null, 'what is gone does not come back');

select * from finish();
rollback;
