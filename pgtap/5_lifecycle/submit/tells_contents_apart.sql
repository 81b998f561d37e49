begin;
\ir ../../_helpers.sql
select plan(2);

select is(sluice.content_sha256('m', 'a', null, 1, null),
  sluice.content_sha256('m', 'a', null, 1, null), 'the same');
select is(count(distinct c), 6::bigint, 'every part counts, and none runs into the next')
from unnest(array[
  sluice.content_sha256('m', 'a', null, 1, null), sluice.content_sha256('m', null, 'a', 1, null),
    sluice.content_sha256('n', 'a', null, 1, null),
  sluice.content_sha256('m', 'a', null, null, null), sluice.content_sha256('ma', '', null, 1, null),
    sluice.content_sha256('m', 'a"', null, 1, null)]) c;

select * from finish();
rollback;
