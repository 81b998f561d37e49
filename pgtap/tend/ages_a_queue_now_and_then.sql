begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
update sluice.settings set ageing = '80 s';
select given_task(:'m', p_now => at(0)) as t \gset
create function rank_of(p_task bigint) returns int language sql as $$ select rank::int from sluice.queue where task_id = p_task $$;
select sluice.tend(model_row(:'m'), at(75)) \g /dev/null
select sluice.tend(model_row(:'m'), at(84)) \g /dev/null
select is(rank_of(:t), 0, 'looked at 9 s ago: not again');
select sluice.tend(model_row(:'m'), at(86)) \g /dev/null
select is(rank_of(:t), -1, 'after an eighth of a step');
select sluice.set_counter('tended', id_of(:'m'), sluice.micros(at(100000))) \g /dev/null
select sluice.tend(model_row(:'m'), at(170)) \g /dev/null
select is(rank_of(:t), -2, 'a clock set back holds nothing up');
select forget_counter('tended', :'m') \g /dev/null
select sluice.tend(model_row(:'m'), at(250)) \g /dev/null
select is(rank_of(:t), -3, 'nor does a crash');

select * from finish();
rollback;
