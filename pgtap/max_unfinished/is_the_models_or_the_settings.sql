begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select is(sluice.max_unfinished(model_row(:'m')), (select max_unfinished from sluice.settings), 'the setting');
update sluice.models set max_unfinished = 7 where name = :'m';
select is(sluice.max_unfinished(model_row(:'m')), 7::bigint, 'its own');

select * from finish();
rollback;
