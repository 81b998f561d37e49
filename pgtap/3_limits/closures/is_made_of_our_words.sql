begin;
\ir ../../_helpers.sql
select plan(3);

select is(sluice.closure_reason('refused', 403), 'refused: HTTP 403', 'a cause and a status');
select is(sluice.closure_reason('credential', null), 'credential: its secret cannot be read',
  'nothing was sent');
select is(sluice.closure_reason('throttled', null), 'throttled', 'a worker told no status');

select * from finish();
rollback;
