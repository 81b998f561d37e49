-- sluice.advance_ramp
begin;
\set alone
\ir ../_helpers.sql
\ir ../_history.sql
\ir ../_ramps.sql
select plan(7);

select given_looks();
create function begun_ramp(out route text, out model text) language plpgsql
as $$
begin
  model := given_model();
  route := given_route(given_model(), model);
  update sluice.routes r set weight = 0.01 where r.route = begun_ramp.route
    and r.model = begun_ramp.model;
  perform sluice.start_ramp(route, model, p_now => at(0));
end
$$;
select * from begun_ramp() \gset
update sluice.routes set weight = 5 where route = :'route' and model = :'model';
select is(ramp_now(:'route', at(1)), 'superseded 1 5.0000', 'it leaves the weight alone');
select is((select reason like '%somebody set the weight' from sluice.ramps(:'route')), true,
  'and says why');
select * from begun_ramp() \gset
update sluice.routes set weight = 5 where route = :'route' and model = :'model';
select is(sluice.stop_ramp(:'route', p_now => at(1)), 'stopped', 'it is stopped afterwards');
select is(weight_of(:'route', :'model'), 5.0000, 'which leaves the weight alone, too');
select * from begun_ramp() \gset
delete from sluice.routes where route = :'route' and model = :'model';
select is(ramp_now(:'route', at(1)), 'superseded 1 ', 'the route has lost its model');
select * from begun_ramp() \gset
update sluice.routes set weight = 0 where route = :'route' and model <> :'model';
select ended(:'model', 100, 0, at(30)) \g /dev/null
select is(ramp_now(:'route', at(600)), 'superseded 1 0.0619',
  'the others have no weight: there is no share to raise');
select * from begun_ramp() \gset
update sluice.ramp r set stepped_at = at(99999) where r.route = :'route';
select ended(:'model', 100, 0, at(99999)) \g /dev/null
select sluice.advance_ramps(at(99000)) \g /dev/null
select is((select stepped_at from sluice.ramps(:'route')), at(99000),
  'a clock that is set back begins the step anew');

select * from finish();
rollback;
