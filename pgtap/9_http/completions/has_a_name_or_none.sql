begin;
\ir ../../_helpers.sql
select plan(2);

select is(sluice.event('a', '{"text": "x\ny"}'),
  E'event: a\ndata: {"text": "x\\ny", "type": "a"}\n\n',
  'data is one line');
select is(sluice.event(null, '7'), E'data: 7\n\n', 'without a name');

select * from finish();
rollback;
