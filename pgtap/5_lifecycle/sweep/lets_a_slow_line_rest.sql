begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_mark(:'m', at(100)), given_row(:'m', at(50)) \g /dev/null
select sluice.note_meter(id_of(:'m'), -2, at(150), 150, 0) \g /dev/null
select is(sluice.walk_in_time(at(200)), 0, 'it took long, and rests');
select is(marked(:'m'), at(100), 'as it was');
select is(sluice.walk_in_time(at(301)), 1, 'its rest is over');
select is(marked(:'m'), at(50), 'what was committed late is found');

select * from finish();
rollback;
