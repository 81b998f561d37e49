begin;
\ir ../../_helpers.sql
select plan(5);


insert into sluice.attempt (task_id, ended_at, fence, kind, error_code)
select -1, at(n), n, k, c
from (values (1, 'returned', 'not_sent'), (2, 'retry', 'http_500'), (3, 'returned', 'not_sent'),
  (4, 'returned', 'http_404'), (5, 'returned', 'not_sent'), (6, 'late', null)) v(n, k, c);
select results_eq($$ select calls, since from sluice.spared_calls(-1, 'not_sent', null) $$, $$
  values (2, at(3)) $$, 'not sent');
select results_eq($$ select calls, since from sluice.spared_calls(-1, 'http_404', null) $$, $$
  values (1, at(4)) $$, 'refused');
select results_eq($$ select calls, since from sluice.spared_calls(-1, 'not_sent', at(3)) $$, $$
  values (1, at(5)) $$, 'after a time');
insert into sluice.attempt (task_id, ended_at, fence, kind) values (-1, at(7), 6, 'redriven');
select results_eq($$ select calls, since from sluice.spared_calls(-1, 'not_sent', null) $$, $$
  values (0, null::timestamptz) $$, 'redriven');
select is((sluice.spared_calls(-1, null, null)).calls, 0, 'without a code');

select * from finish();
rollback;
