begin;
\ir ../../_helpers.sql
select plan(2);

select is(sluice.content_sha256('m', 'a', null, 1), sluice.content_sha256('m', 'a', null, 1),
  'the same');
select is(count(distinct c), 6::bigint, 'every part counts, and none runs into the next')
from unnest(array[
  sluice.content_sha256('m', 'a', null, 1), sluice.content_sha256('m', null, 'a', 1),
    sluice.content_sha256('n', 'a', null, 1),
  sluice.content_sha256('m', 'a', null, null), sluice.content_sha256('ma', '', null, 1),
    sluice.content_sha256('m', 'a"', null, 1)]) c;

select * from finish();
rollback;
