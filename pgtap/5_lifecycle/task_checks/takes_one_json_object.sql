begin;
\ir ../../_helpers.sql
select plan(8);

select lives_ok($$select sluice.check_request('{"a": [1, {"b": null}]}')$$, 'an object');
select throws_ok(format('select sluice.check_request(%L)', r), 'SL004', null, r || ' is refused')
from unnest(array['', '1', '"a"', 'null', '{} {}', '{"a": 1', '{a: 1}']) r;

select * from finish();
rollback;
