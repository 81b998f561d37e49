begin;
\ir ../_helpers.sql
\ir ../fair_turns/_helpers.sql
select plan(2);

select given_model() as m \gset
select waits(:'m', 'tenant ' || n, 1) from generate_series(1, 10) n \g /dev/null
create temporary table k on commit drop as
select tenant, row_number() over (order by tenant) as n from unnest(sluice.lane_heads(id_of(:'m'), 20)) h;
select is((select array_agg(k.n::int order by h.ordinality) from unnest(sluice.lane_window(id_of(:'m'), 0::smallint,
    (select tenant from k where n = 8), 5, at(1))) with ordinality h join k using (tenant)), '{8,9,10,1,2}', 'from the last to the first');
select is(cardinality(sluice.lane_window(id_of(:'m'), 0::smallint, (select tenant from k where n = 8), 50, at(1))), 10, 'each once');

select * from finish();
rollback;
