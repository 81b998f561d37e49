begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select is(sluice.first_submit_in(2), null, 'none');
insert into sluice.task (id, created_at, model, priority, tenant, prompt)
select 2000000 + n, at(n), id_of(:'m'), 0, 'default', 'x' from generate_series(3, 5) n;
select is(sluice.first_submit_in(2), at(3), 'the lowest id''s');
select is(sluice.first_submit_in(null), null, 'no range');

select * from finish();
rollback;
