begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(5);

select given_model() as m \gset
insert into sluice.tenants (name, weight) values ('heavy-' || :'m', 3);
select waits(:'m', 'heavy-' || :'m', 1, 400), waits(:'m', 'light', 1, 400),
  waits(:'m', 'long', 1, 4000), waits(:'m', 'low', 1, 4, 1) \g /dev/null
create temporary table drawn (tenant bigint) on commit drop;
create function draw_one(p_model text, p_rounds sluice.lane_round[] default '{}') returns bigint
  language plpgsql
as $$
declare
  v_heads sluice.head[] := sluice.weighed(sluice.lane_heads(id_of(p_model), 9), at(1));
  v_turn sluice.turn := sluice.first_head(id_of(p_model), v_heads, p_rounds, at(1));
begin
  perform sluice.note_clock(id_of(p_model), v_turn, v_heads[v_turn.lane], v_turn.request_bytes);
  return v_turn.tenant;
end
$$;
insert into drawn select draw_one(:'m') from generate_series(1, 410);
create function times(p_tenant text) returns bigint language sql
as $$ select count(*) from drawn where tenant = sluice.tenant_key(p_tenant) $$;
select ok(times('heavy-' || :'m') between 298 and 302, 'three of 4.1: ' || times('heavy-' || :'m'));
select ok(times('light') between 99 and 101, 'one of 4.1: ' || times('light'));
select ok(times('long') between 9 and 11, 'ten times as long, a tenth as often: ' || times('long'));
select is(times('low'), 0::bigint, 'no lower rank');
select is((sluice.first_head(id_of(:'m'), sluice.lane_heads(id_of(:'m'), 3),
  array[round_at(:'m', null, 0, 1)], at(1))).lane, null,
  'nobody who has had his turns of this round');

select * from finish();
rollback;
