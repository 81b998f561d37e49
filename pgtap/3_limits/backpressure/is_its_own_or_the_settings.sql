begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select is(sluice.max_unfinished_of(id_of(:'m')), (select max_unfinished from sluice.settings),
  'the settings'' for all');
update sluice.models set max_unfinished = 7 where name = :'m';
select is(sluice.max_unfinished_of(id_of(:'m')), 7::bigint, 'unless it has its own');

select * from finish();
rollback;
