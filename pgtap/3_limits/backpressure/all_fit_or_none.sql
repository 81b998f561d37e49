-- sluice.accept_many
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
update sluice.models set max_unfinished = 100 where name = :'m';
select given_tasks(:'m', 60) \g /dev/null
select * from error_of(format('select given_tasks(%L, 41)', :'m')) \gset
select is(:'code'::text, 'SL003', 'one too many');
select is(:'message'::text,
  format('model "%s" is full: 60 of 100 unfinished, no room for 41 more', :'m'),
  'no element is at fault');
select is((select unfinished from sluice.queues where model = :'m'), 60::bigint,
  'none was accepted');
select is((error_of(format('select given_tasks(%L, 101)',
    :'m'))).hint, 'It takes 100 at most: submit fewer at a time.',
  'a batch that never fits is told so');
select lives_ok(format('select given_tasks(%L, 40)', :'m'),
  'what fits is accepted after a refusal');
select is((select unfinished from sluice.queues where model = :'m'), 100::bigint, 'all of it');

select * from finish();
rollback;
