-- sluice.is_to_be_tried, sluice.note_chosen
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(2);

select given_model() as fast, given_model() as slow \gset
select given_choice('latency', :'fast', :'slow') as r \gset
select given_worker(array[:'fast', :'slow']) as w \gset
-- Calls end before the next one begins.
create function served(p_route text, p_worker bigint, p_count int) returns bigint language plpgsql
as $$
begin
  for n in 1 .. p_count loop
    perform given_task(p_route, p_now => at(n));
    perform sluice.complete(p_worker, array(
      select told(c.task_id, 'solved', c.fence, 'x', output_tokens => 100)
      from sluice.claim(p_worker, null, 100, at(n)) c), at(n + 0.5));
    insert into sluice.speed select id_of(m.name), nextval('sluice.mark_id'), at(n + 0.5),
      1000 * m.seconds, 1000, 10, 1
    from (select r.model as name, 0.01 * row_number() over (order by r.model) ^ 2 as seconds
      from sluice.routes r where r.route = p_route) m;
  end loop;
  return (select count(*) from sluice.result);
end
$$;
select served(:'r', :w, 300) as tasks \gset
select cmp_ok((select count(*) from sluice.result where model = :'slow'), '>=', 5::bigint,
  'it is found out when it is faster again');
select cmp_ok((select count(*) from sluice.result where model = :'slow'), '<=', 7::bigint,
  'and that costs 2 %');

select * from finish();
rollback;
