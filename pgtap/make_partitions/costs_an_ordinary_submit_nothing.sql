begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select sluice.make_partitions(1000001, 1049999);
select hasnt_table('sluice', 'task_3', 'between two multiples of 50,000 it does not look');
select sluice.make_partitions(1049999, 1050001);
select has_table('sluice', 'task_3', 'over one it does');
select lives_ok('select sluice.make_partitions(1050000, 1050000)', 'and finds that it is done');

select * from finish();
rollback;
