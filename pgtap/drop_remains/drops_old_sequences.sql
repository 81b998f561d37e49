begin;
\set alone
\ir ../_helpers.sql
select plan(2);

set local role sluice_owner;
create unlogged sequence sluice.room_2000000000;
create unlogged sequence sluice.mark_2000000000;
select sluice.drop_remains() as n \gset
reset role;
select cmp_ok(:n, '>=', 2, 'both');
select hasnt_sequence('sluice', 'room_2000000000', 'gone');

select * from finish();
rollback;
