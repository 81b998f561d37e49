-- sluice.create_message_batch, sluice.piece_begins, sluice.sent_requests
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

select given_speaker('anthropic-messages') as m \gset
create function requests_of(p_bytes int[]) returns json[] language sql
as $$ select array_agg(to_json(repeat('x', b - 2)) order by n)
  from unnest(p_bytes) with ordinality s(b, n) $$;
select is(sluice.piece_begins(requests_of('{600000, 500000, 400000, 2500000, 10, 10}')),
  '{1,3,5}', 'a piece ends with the request that fills a megabyte');
select is(sluice.piece_begins(requests_of(array_fill(10, array[2002]))), '{1,1001,2001}',
  'and with the thousandth');
select is((error_of(format('select sluice.sent_requests(''{"requests": [1, "%s"]}'')',
  repeat('x', 16777216 - 1)))).message,
  'request 2 has more than 16777216 bytes',
  'a request has a bound');

select substr(sluice.create_message_batch(json_build_object('requests', (
    select json_agg(json_build_object('custom_id', 'c' || n, 'params',
      json_build_object('model', :'m', 'n', repeat('x', 400000))) order by n)
    from generate_series(1, 7) n))::text, null, at(0)) ->> 'id', 10)::bigint as b \gset
select is(array[submit_step(:b), submit_step(:b), submit_step(:b)], array[3, 5, 7],
  'each step submits one piece');
select is(advanced(:b, 'run'), 'run', 'then it runs');
select is(array(select custom_id from sluice.batch_line where batch = :b order by line),
  array['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'], 'with all of them');

select * from finish();
rollback;
