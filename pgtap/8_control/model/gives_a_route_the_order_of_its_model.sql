-- sluice.after_route_is_joined
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m, given_model() as other \gset
select given_route(:'other') as r \gset
create function is_ordered(p_line int) returns boolean language plpgsql as $$
declare
  v_name text := sluice.line_name(p_line);
  v_time timestamptz := at(0);
begin
  if to_regproc('sluice.prefix_time_' || v_name) is not null then
    execute format('select sluice.prefix_time_%s(null, %L, null, %L)', v_name, 'x', at(0))
      into v_time;
  end if;
  return v_time <> at(0);
end
$$;
update sluice.models set claim_order = 'prefix' where name = :'m';
select is(is_ordered(id_of(:'m')), true, 'its own line has it');
select is(is_ordered(own_line(:'r')), false, 'a route that it is not of has not');
insert into sluice.routes (route, model, weight) values (:'r', :'m', 0);
select is(is_ordered(own_line(:'r')), false, 'nor one of which it takes nothing');
update sluice.routes set weight = 1 where route = :'r' and model = :'m';
select is(is_ordered(own_line(:'r')), true, 'but one of which it does');
update sluice.models set claim_order = 'arrival' where name = :'m';
select is(is_ordered(own_line(:'r')) or is_ordered(id_of(:'m')), false,
  'another order is theirs, too');
insert into sluice.models (name, url, claim_order)
values (format('ordered-%s', pg_backend_pid()), 'http://127.0.0.1:1', 'prefix')
returning id as new \gset
select is(is_ordered(:new), true, 'a new model has what it asks for');

select * from finish();
rollback;
