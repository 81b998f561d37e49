begin;
\ir ../../_helpers.sql
select plan(1);

select sluice.begin_file('batch', 'x', null, at(0)) as f \gset
select sluice.abandon_file(:f) \g /dev/null
select throws_ok(format($$select sluice.append_file(%s, 0, 1, 'x')$$, :f), '23503', null,
  'it is gone');

select * from finish();
rollback;
