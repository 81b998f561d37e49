begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_mark(:'m', at(10), 0), given_mark(:'m', at(1), 1),
  given_mark(:'m', at(10), 0, 'other') \g /dev/null
select sluice.lower_marks(id_of(:'m'), array[0, 1, 2]::smallint[],
  array_fill(sluice.tenant_key('default'), array[3]), array[at(5), at(5), at(5)]);
select is(marked(:'m', 0), at(5), 'a mark above the row is lowered to it');
select is(marked(:'m', 1), at(1), 'a mark below the row stays');
select is(marked(:'m', 2), '-infinity', 'what has none needs none');
select is(marked(:'m', 0, 'other'), at(10), 'the other tenants'' lanes scan no dead rows again');

select * from finish();
rollback;
