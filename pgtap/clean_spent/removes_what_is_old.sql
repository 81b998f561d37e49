begin;
\ir ../_helpers.sql
select plan(3);

select given_model(tpm => 100) as m \gset
select id_of(:'m') as id \gset
insert into sluice.spent (account, at, tokens) values (:id, at(0), 1), (:id, at(200), 2), (:id, at(400), 3);
select setval('sluice.spent_until', 0) \g /dev/null
select sluice.clean_spent(at(450));
select is((select array_agg(tokens order by at) from sluice.spent where account = :id), array[2, 3]::bigint[], 'five minutes');
select is(sluice.from_micros(pg_sequence_last_value('sluice.spent_until'::regclass)), at(150), 'it remembers where it ended');
select sluice.clean_spent(at(550));
select is((select array_agg(tokens order by at) from sluice.spent where account = :id), array[3]::bigint[], 'and goes on from there');

select * from finish();
rollback;
