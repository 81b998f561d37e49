-- sluice.list_in_force, sluice.nanos_of, sluice.cost_of
begin;
\ir ../_helpers.sql
select plan(12);

select given_model() as m \gset
insert into sluice.prices (model, valid_from, input, output) values
  (:'m', at(0), 2000000000, 8000000000),
  (:'m', at(100), 4000000000, 8000000000);
insert into sluice.prices (model, valid_from, above_tokens, input, cached_input, cache_write,
  output, per_request)
values (:'m', at(200), 0, 1000000000, 100000000, 1250000000, 5000000000, 7),
  (:'m', at(200), 1000, 3000000000, null, null, 6000000000, 9);

select is(sluice.list_in_force(:'m', at(-1)), null, 'before the first list there is none');
select is(sluice.list_in_force(:'m', at(150)), at(100), 'the newest one that has begun');
select is(sluice.nanos_of(:'m', at(99), 1000, 100, null), 2800000::numeric, 'by the first');
select is(sluice.nanos_of(:'m', at(100), 1000, 100, null), 4800000::numeric, 'by the second');
select is(sluice.nanos_of(:'m', at(200), 1000, 0, row(600, 100, null)::sluice.usage),
  485007::numeric, 'cached and written tokens have prices of their own');
select is(sluice.nanos_of(:'m', at(200), 1001, 0, row(600, 100, null)::sluice.usage),
  3003009::numeric, 'above 1,000 tokens the other row holds, where these cost as input');
select is(sluice.nanos_of(:'m', at(200), 1, 0, row(5, 5, 5)::sluice.usage), 107::numeric,
  'more cached tokens than there are do not count');
select is(sluice.nanos_of(:'m', at(99), null, 1, null), 8000::numeric, 'one count is enough');
select is(sluice.nanos_of(:'m', at(99), -2000, 100, null), 0::numeric,
  'no count costs less than 0');
select is(sluice.nanos_of(:'m', at(99), null, null, null), null, 'without any it is not known');
insert into sluice.prices (model, valid_from, input, output) values (:'m', at(300), 1001, 0);
select is(sluice.nanos_of(:'m', at(300), 1, 0, null), 1::numeric, 'a part of a nano-unit is one');
select is(sluice.cost_of(:'m', at(99), 1000, 100, null), 0.0028, 'in whole units');

select * from finish();
rollback;
