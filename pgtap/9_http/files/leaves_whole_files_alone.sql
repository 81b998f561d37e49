begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(2);

select given_file(array['x']) as whole, sluice.begin_file('batch', 'x', null) as begun \gset
select sluice.append_file(:begun, 0, 1, 'x'), sluice.abandon_file(:begun),
  sluice.abandon_file(:whole) \g /dev/null
select is(array(select id from sluice.file where id in (:whole, :begun)), array[:whole::bigint],
  'that of an upload that failed goes');
select is_empty(format('select from sluice.file_part where file = %s', :begun), 'with its parts');

select * from finish();
rollback;
