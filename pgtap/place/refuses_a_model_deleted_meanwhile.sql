begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select id_of(:'m') as id \gset
set constraints all immediate;
delete from sluice.models where name = :'m';
select is((error_of(format($$select sluice.place(array[row(1, now(), null, %1$s, %1$s, null, 1, 0, %2$L, 'default', now(), null,
  null)::sluice.new_task])$$,
  :id, due))).code, 'SL001', case when due then 'for now' else 'for later' end)
from unnest(array[true, false]) due;

select * from finish();
rollback;
