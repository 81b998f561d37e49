begin;
\ir ../../_helpers.sql
select plan(2);

select matches(sluice.add_text(7), 'load_', 'a model has a gauge of what is unfinished');
select doesnt_match(sluice.add_text(-7), 'load_', 'a route has not');

select * from finish();
rollback;
