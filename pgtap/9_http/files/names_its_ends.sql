begin;
\ir ../../_helpers.sql
select plan(2);

select is(sluice.list_object('[{"id": "c"}, {"id": "b"}, {"id": "a"}]', true)::jsonb,
  '{"object": "list", "data": [{"id": "c"}, {"id": "b"}, {"id": "a"}], "first_id": "c", "last_id": '
  '"a", "has_more": true}', 'both');
select is(sluice.list_object('[]', false)::jsonb,
  '{"object": "list", "data": [], "first_id": null, "last_id": null, "has_more": false}',
    'an empty page has none');

select * from finish();
rollback;
