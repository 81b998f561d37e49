-- How often whoever sleeps looks at the database all the same; infinity (before PostgreSQL 17: '1000 years'): never.
alter table sluice.settings add column idle_look interval not null default '60 seconds',
  add constraint idle_look_is_a_second_at_least check (idle_look >= interval '1 second');
