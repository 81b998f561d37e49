-- server_started: when the server began that ids were last looked after for, so that no session has
-- to ask whether it was promoted. plain_submission: what most submits have.
alter table sluice.gate add column server_started timestamptz not null default '-infinity';
create type sluice.plain_submission as (
  id            bigint,
  created_at    timestamptz,
  batch_id      bigint,
  model         int,
  priority      smallint,
  route         text,
  tenant        text,
  prompt        text,
  request_bytes int
);
