begin;
\ir ../../_helpers.sql
select plan(1);

select is(array(select sluice.parked_for(r)
  from unnest(array['credential: HTTP 401', 'billing: pay', 'refused: HTTP 403 to: my prompt',
    'closed for the night',
    'not refused: x', null]) with ordinality o(r, n) order by n),
  array['credential', 'billing', 'refused', 'by hand', 'by hand', 'by hand'],
    'for log and history');

select * from finish();
rollback;
