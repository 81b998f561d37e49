-- A time beyond what PostgreSQL can add to now() made retention, claims and sleep fail.
update sluice.settings set retention = least(retention, interval '1000 years'),
  ageing = least(ageing, interval '1000 years'),
  idle_look = case when isfinite(idle_look) then least(idle_look, interval '1000 years')
    else idle_look end
where retention > interval '1000 years' or ageing > interval '1000 years'
  or isfinite(idle_look) and idle_look > interval '1000 years';
update sluice.models set breaker_open = interval '1 year' where breaker_open > interval '1 year';

alter table sluice.settings
  add constraint retention_is_at_most_1000_years check (retention <= interval '1000 years'),
  add constraint ageing_is_at_most_1000_years check (ageing <= interval '1000 years'),
  add constraint idle_look_is_at_most_1000_years_or_infinity
    check (idle_look <= interval '1000 years' or not isfinite(idle_look));
alter table sluice.models
  add constraint breaker_open_is_at_most_1_year check (breaker_open <= interval '1 year');
