-- sluice.lines_open, sluice.route_share
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
select is(sluice.lines_open(model_row(:'m'), 5, at(1), null), '{}', 'none may have work');
select given_task(:'r'), given_task(:'m') \g /dev/null
select is((
    select array_agg(l.line) from unnest(sluice.lines_open(model_row(:'m'), 5, at(1), null)) l),
  array[own_line(:'r'), id_of(:'m')], 'both');
update sluice.models set api = 'openai-chat' where name = :'m';
select sluice.submit(model => :'r', request => '{}', p_now => at(0)) \g /dev/null
select is((select count(*) from unnest(sluice.lines_open(model_row(:'m'), 5, at(1), null)) l),
  3::bigint,
  'and that of its api');

select * from finish();
rollback;
