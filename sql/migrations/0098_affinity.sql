-- Prefix caches: tasks of a key go to one model of their route, and a model may take tasks that
-- begin alike one after the other.

-- Tasks of a route with the same key go to the same model. Null: to any.
alter table sluice.task add column affinity_key text;

alter table sluice.models add column claim_order text not null default 'arrival',
  add constraint claim_order_is_arrival_or_prefix check (claim_order in ('arrival', 'prefix'));

alter table sluice.settings add column prefix_wait interval not null default '10 seconds',
  add constraint prefix_wait_is_between_10_ms_and_1_hour
    check (prefix_wait between interval '10 milliseconds' and interval '1 hour');

-- A line may also be of a route and one of its models, the home of its tasks' keys.
alter table sluice.route_line drop constraint a_line_is_of_a_route_or_a_version_of_a_model,
  add constraint a_line_is_of_a_route_or_a_version_of_a_model
    check (route is not null or model is not null and api is null and version is not null);
