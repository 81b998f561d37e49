begin;
\ir ../../_helpers.sql
select plan(1);

select given_model(max_queue => 1) as m \gset
select given_route(:'m') as r \gset
select given_task(:'r') \g /dev/null
select matches((error_of(format('select sluice.refuse(''line'', ''%s'', 2, 1, 1, %L)',
  own_line(:'r'), at(0)))).message,
  format('route "%s" is full: 1 of 1 may wait \(max_queue\), no room for 2 more', :'r'),
    'and the numbers');

select * from finish();
rollback;
