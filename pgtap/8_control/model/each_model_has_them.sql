begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_route(:'m') as r \gset
select ok(bool_and(to_regclass(format('sluice.%s_%s', k, id_of(:'m'))) is not null), 'each')
from unnest(sluice.model_sequences()) k;

select * from finish();
rollback;
