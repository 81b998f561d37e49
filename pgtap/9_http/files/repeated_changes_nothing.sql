begin;
\ir ../../_helpers.sql
select plan(3);

select sluice.begin_file('batch', 'x', null, at(0)) as f \gset
select sluice.append_file(:f, n, 1, format(E'part %s\n', n))
from generate_series(0, 2) n \g /dev/null
select sluice.append_file(:f, 1, 7, E'another\n') \g /dev/null
select is(sluice.end_file(:f, '1 day')::jsonb -> 'bytes', '21', 'its bytes count once');
select is((select lines from sluice.file where id = :f), 3, 'its lines too');
select is(sluice.file_body(:f, null, 1), E'part 1\n', 'the first one holds');

select * from finish();
rollback;
