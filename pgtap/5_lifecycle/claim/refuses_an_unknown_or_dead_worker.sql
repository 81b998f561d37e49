begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker() as w \gset
select code, hint from error_of('select * from sluice.claim(1)') \gset
select is(:'code'::text, 'SL010', 'an unknown worker is SL010');
select isnt(:'hint'::text, '', 'with a hint');
update sluice.worker set dead_at = at(1) where id = :w;
select is((error_of(format('select * from sluice.claim(%s)', :w))).code, 'SL010', 'a dead one too');

select * from finish();
rollback;
