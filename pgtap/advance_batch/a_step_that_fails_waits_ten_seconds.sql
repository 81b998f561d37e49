begin;
\ir ../_helpers.sql
\ir ../_batches.sql
select plan(4);

set local client_min_messages = error;
select given_speaker() as m \gset
select given_batch(:'m') as b \gset
select advanced(:b, 'run'), given_ends(:b), advanced(:b, 'write', at(2)) \g /dev/null
insert into sluice.file (bytes, lines, created_at, expires_at, purpose, filename)
values (sluice.files_bytes_max(), 1, at(0), at(9), 'batch', 'big') returning id as big \gset
select advanced(:b, 'done', at(3)) \g /dev/null
select results_eq(format('select phase, position, look_at from sluice.batch where id = %s', :b), $$values ('write', 0, at(13))$$,
  'there is no room for its output');
select sluice.delete_file(:big, null) \g /dev/null
select is(advanced(:b, 'done', at(12)), 'write', 'meanwhile it is in nobody''s way');
select is(advanced(:b, 'done', at(13)), 'done', 'then it is made');
select results_eq(format('select * from lines_of(%s)', :b), $$values ('c1', 'output')$$, 'nothing is lost');

select * from finish();
rollback;
