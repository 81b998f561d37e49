begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

select is(sluice.drop_remains(), 0, 'a new database has none');
set local role sluice_owner;
create table sluice.remains (statement text primary key);
select format('create function sluice.of_before_%s() returns int language sql as ''select 1''', n)
from generate_series(1, 601) n \gexec
insert into sluice.remains select format('drop routine if exists sluice.of_before_%s()', n)
from generate_series(1, 602) n;
create view sluice.used as select sluice.of_before_1();
reset role;
update sluice.function_set set applied_at = clock_timestamp();
select is(sluice.drop_remains(), 0, 'not while a call of before may be under way');
update sluice.function_set set applied_at = applied_at - interval '2 minutes';
select cmp_ok(sluice.drop_remains(), '<=', 500, 'some');
do $$ begin while sluice.drop_remains() > 0 loop end loop; end $$;
select results_eq('select statement from sluice.remains',
  array['drop routine if exists sluice.of_before_1()'], 'after some rounds all but what is used');
drop view sluice.used;
select is(sluice.drop_remains(), 1, 'once nobody does it goes, too');
select hasnt_table('sluice', 'remains', 'and the list with the last');

select * from finish();
rollback;
