begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select is(sluice.was_tended(id_of(:'m'), '10 s', at(0)), false, 'never');
select sluice.set_counter('tended', id_of(:'m'), sluice.micros(at(0))) \g /dev/null
select is(sluice.was_tended(id_of(:'m'), '10 s', at(9)), true, 'just now');
select is(sluice.was_tended(id_of(:'m'), '10 s', at(11)), false, 'long ago');
select is(sluice.was_tended(id_of(:'m'), '10 s', at(-1)), false, 'in the future');

select * from finish();
rollback;
