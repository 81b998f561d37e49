begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select id_of(:'m') as id \gset
select sluice.move_breaker(:id, 'closed', 'open', 'first', at(0)),
  sluice.move_breaker(:id, 'closed', 'open', 'second', at(1)) \g /dev/null
select results_eq(format('select from_state, to_state, reason, at from sluice.breaker_event '
                         'where model = %s', :id),
  $$values ('closed', 'open', 'first', at(0))$$, 'who finds it moved moves nothing');
select ok(not shares_opening_lock(:'m'), 'an opening wakes nobody');
select sluice.move_breaker(:id, 'open', 'half_open', 'probe', at(30)) \g /dev/null
select ok(shares_opening_lock(:'m'), 'a half-open one does');
select sluice.move_breaker(:id, case when n % 2 = 0 then 'half_open' else 'open' end,
  case when n % 2 = 0 then 'open' else 'half_open' end, n::text, at(n))
from generate_series(100, 1300) n \g /dev/null
select is((select count(*) from sluice.breaker_event where model = :id), 1000::bigint,
  'the newest 1,000 are kept');
select is((select reason from sluice.breaker_event where model = :id order by id desc limit 1),
  '1300', 'the last among them');
select is((select breaker from sluice.queues where model = :'m'), 'open',
  'sluice.queues shows the state');
set constraints all immediate;
delete from sluice.models where name = :'m';
select is_empty(format('select from sluice.breaker where model = %s union all select '
                       'from sluice.breaker_event where model = %s', :id, :id),
  'all of it goes with the model');

select * from finish();
rollback;
