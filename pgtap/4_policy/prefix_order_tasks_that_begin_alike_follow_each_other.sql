begin;
\ir ../_helpers.sql
select plan(21);

select given_model() as m, given_model() as plain, given_model() as other \gset
update sluice.models set claim_order = 'prefix' where name = :'m';
select given_worker(array[:'m']) as w, given_worker(array[:'plain']) as w_plain,
  given_worker(array[:'other']) as w_other \gset
select is(sluice.is_by_prefix(id_of(:'m')), true, 'the line has its model''s order');
select is(sluice.is_by_prefix(id_of(:'plain')), false, 'the others have their own');

-- prefixes: of tasks, in the order in which a claim gives them; turns: whether equal ones stand
-- together.
create function prefixes(p_worker bigint, p_max int, p_now timestamptz) returns text language sql
as $$
  select coalesce(string_agg(left(t.prompt, 1), '' order by c.ordinality), '')
  from unnest(claimed(p_worker, p_max, p_now)) with ordinality c(id, ordinality)
  join sluice.task t on t.id = c.id $$;
create function begun(p_model text, p_prefix text, p_at numeric, p_tenant text default 'default',
  p_priority int default 0) returns bigint
language sql as $$ select given_task(p_model, p_priority, at(p_at),
  prompt => rpad(p_prefix, 300, p_prefix) || p_at, tenant => p_tenant) $$;

select begun(:'plain', p, n)
from unnest('{a,b,a,b,a,b}'::text[]) with ordinality x(p, n) \g /dev/null
select is(prefixes(:w_plain, 6, at(9)), 'ababab', 'by default tasks go as they come');
select begun(:'m', p, n / 10.0)
from unnest('{a,b,a,b,a,b}'::text[]) with ordinality x(p, n) \g /dev/null
select array_agg(sluice.prefix_time(repeat(p, 256), at(n / 10.0), '10 s') order by n) as turns
from unnest('{a,b,a,b,a,b}'::text[]) with ordinality x(p, n) \gset
select is((select array_agg(ready_at order by task_id) from sluice.queue
  where model = id_of(:'m')), :'turns', 'here each waits for its prefix''s turn');
select string_agg(p, '' order by turn, n) as order
from unnest('{a,b,a,b,a,b}'::text[], :'turns'::timestamptz[]) with ordinality x(p, turn, n) \gset
select is(:'order' in ('aaabbb', 'bbbaaa'), true, 'so they stand together');
select is(prefixes(:w, 1, at(1)) || prefixes(:w, 2, at(1)) || prefixes(:w, 9, at(1)), :'order',
  'and are called so, though no turn has come');
select is(max(t.queued_at) <= at(1) and min(t.created_at) = at(0.1), true,
  'what was called was ready by then') from sluice.tasks t where t.model = :'m';
select sluice.complete(:w, array(select told(l.task_id, 'solved', l.fence, 'x') from sluice.lease l
  where l.worker = :w), at(2)) \g /dev/null
select is(min(r.created_at) = at(0.1) and max(r.created_at) = at(0.6), true,
  'and came when it came') from sluice.result r where r.model = :'m';

-- The bound: whatever comes prefix_wait later comes after.
select begun(:'m', 'a', 100) as a, begun(:'m', 'b', 100) as b \gset
select begun(:'m', 'a', 110), begun(:'m', 'b', 110) \g /dev/null
select is((claimed(:w, 2, at(111)))[1:2] @> array[:a, :b]::bigint[], true,
  'nobody is passed by who comes prefix_wait later');
select prefixes(:w, 9, at(111)) \g /dev/null

-- Many at once, a key in place of the beginning, and what returns.
select sluice.submit_many((select jsonb_agg(jsonb_build_object('model', :'m', 'prompt', n || 'x',
  'affinity_key', case when n % 2 = 0 then 'even' else 'odd' end)) from generate_series(1, 6) n),
  at(200)) \g /dev/null
select matches(prefixes(:w, 9, at(200)), '^([246]{3}[135]{3}|[135]{3}[246]{3})$',
  'tasks of a key follow each other');
select sluice.complete(:w, array(select told(l.task_id, 'returned', l.fence) from sluice.lease l
  where l.worker = :w), at(201)) \g /dev/null
select is(length(prefixes(:w, 99, at(201))) > 6, true, 'what was handed back is there again');
select completed(:w, told(l.task_id, case n when 1 then 'retry' else 'solved' end, l.fence, 'x',
  error => 'busy'))
from (select l.*, row_number() over (order by l.task_id) as n from sluice.lease l
  where l.worker = :w) l \g /dev/null
select sluice.wake(at(100000)) \g /dev/null
select is(length(prefixes(:w, 99, at(100000))), 1, 'and so is what failed');

-- Within its lane only: others' shares and ranks are theirs.
select begun(:'m', 'z', 200000, 'busy') from generate_series(1, 8) \g /dev/null
select begun(:'m', 'y', 200001, 'other'), begun(:'m', 'x', 200001, 'other', 5) \g /dev/null
select is(prefixes(:w, 1, at(200002)), 'x', 'a better priority comes first');
select is(prefixes(:w, 2, at(200002)) like '%y%', true, 'another tenant has its share');

-- A route has the order of its models.
select given_route(:'other', :'plain') as r \gset
select is(sluice.is_by_prefix(own_line(:'r')), false, 'a route of others has theirs');
insert into sluice.routes (route, model) values (:'r', :'m');
select is(sluice.is_by_prefix(own_line(:'r')), true, 'one that the model joins gets its order');
select isnt(to_regproc('sluice.prefix_time_' || sluice.line_name(own_line(:'r'))), null,
  'with its function');
select begun(:'r', p, 300000 + n / 10.0)
from unnest('{a,b,a,b}'::text[]) with ordinality x(p, n) \g /dev/null
select matches(prefixes(:w_other, 4, at(300001)), '^(aabb|bbaa)$',
  'whichever of its models takes them');

update sluice.models set claim_order = 'arrival' where name = :'m';
select is(sluice.is_by_prefix(id_of(:'m')) or sluice.is_by_prefix(own_line(:'r')), false,
  'it can be taken back');
select prefixes(:w, 99, at(300002)) \g /dev/null
select begun(:'m', p, 400000 + n)
from unnest('{a,b,a,b}'::text[]) with ordinality x(p, n) \g /dev/null
select matches(prefixes(:w, 99, at(400009)), 'abab$', 'and tasks go as they come');
select throws_ok(format('update sluice.models set claim_order = %L where name = %L', 'random',
  :'m'), '23514', null, 'there are no other orders');

select * from finish();
rollback;
