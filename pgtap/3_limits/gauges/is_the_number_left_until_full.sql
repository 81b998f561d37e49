begin;
\ir ../../_helpers.sql
select plan(5);

select is(sluice.headroom(90, 100, 0.95), 10::bigint, 'room for ten');
select is(sluice.headroom(94, 100, 0.95), 6::bigint,
  'also past the share, for who begins below it');
select is(sluice.headroom(95, 100, 0.95), 0::bigint, 'but none from there on');
select is(sluice.headroom(99, 100, 1), 1::bigint, 'or up to the last one');
select is(sluice.headroom(200, 100, 1), 0::bigint, 'never less than none');

select * from finish();
rollback;
