begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

select given_file(array['x'], 't') as his, given_file(array['x']) as nobodys,
  sluice.begin_file('batch', 'x', 't') as begun \gset
select is((sluice.visible_file(:his, 't')).id, :his::bigint, 'his');
select is((sluice.visible_file(:his, null)).id, :his::bigint, 'everybody''s is his');
select is((sluice.visible_file(:his, 'u')).id, null, 'another one''s is not');
select is((sluice.visible_file(:nobodys, 't')).id, null, 'nobody''s neither');
select is((sluice.visible_file(:begun, 't')).id, null, 'nor what is not whole');
select is((sluice.visible_file(-1, null)).id, null, 'nor what is not');

select * from finish();
rollback;
