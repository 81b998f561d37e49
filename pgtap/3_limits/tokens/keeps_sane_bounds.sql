begin;
\ir ../../_helpers.sql
select plan(3);

select is((sluice.pack_learned(p, o) >> 20, sluice.pack_learned(p, o) & 1048575), (rp, ro),
  format('%s and %s', p, o))
from (values (250000::bigint, 512::bigint, 250000::bigint, 512::bigint), (0, 0, 15625, 1),
  (9000000, 99000000, 1000000, 1048575))
  v(p, o, rp, ro);

select * from finish();
rollback;
