-- sluice.fall_back
begin;
\ir ../../_helpers.sql
select plan(8);

select given_model(max_attempts => 1) as a, given_model() as b \gset
select given_worker(array[:'a', :'b']) as w \gset
insert into sluice.fallbacks values (:'a', 'context_too_long', :'b');
select given_task(:'a') as cancelled, given_task(:'a') as held \gset
select claimed(:w, 2) \g /dev/null
select sluice.cancel(:cancelled, at(1.5)) \g /dev/null
select is(completed(:w, told(:cancelled, 'failed', error_code => 'context_too_long')), true,
  'a call fails whose task was cancelled');
select is(places(:cancelled), 'cancelled', 'it goes nowhere');

-- as while a range is dropped, or the model is
select format('drop sequence sluice.load_%s', id_of(:'b')) \gexec
select is(completed(:w, told(:held, 'failed', error_code => 'context_too_long', error => 'why')),
  true, 'one that cannot go just now');
select is(places(:held), 'queue', 'goes back to its line');
select results_eq(format($$select kind, error_code, fallback_to from sluice.attempts(%s)$$, :held),
  $$values ('returned'::text, 'context_too_long'::text, null::text)$$, 'which is noted');
select results_eq(format('select task_id, attempt from sluice.claim(%s, null, 2, at(3))', :w),
  format('values (%s::bigint, 1)', :held), 'and called once more, uncharged');
delete from sluice.fallbacks;
select is(completed(:w, told(:held, 'failed', 2, error_code => 'context_too_long'), at(4)), true,
  'without a fallback by then');
select is(places(:held), 'failed', 'it fails');

select * from finish();
rollback;
