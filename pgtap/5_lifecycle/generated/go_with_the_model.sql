-- sluice.drop_functions
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select id_of(:'m') as id \gset
set constraints all immediate;
delete from sluice.models where name = :'m';
select hasnt_function('sluice', ('take_' || :id)::name);
select hasnt_function('sluice', ('lanes_' || :id)::name);
select hasnt_function('sluice', ('urgent_' || :id)::name);
select is(to_regproc('sluice.add_' || :id), null, 'nor is there a add_<n>');
select is(to_regproc('sluice.add_plain_' || :id), null, 'or a add_plain_<n>');

select * from finish();
rollback;
