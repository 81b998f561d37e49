-- Prepares a migrated database for the tests.

-- Where the user is named as our schema, that would otherwise take the extension.
create extension pgtap schema public;

-- On a busy machine a count of ten rows may take longer than what is cheap, and forbid the next: a
-- refusal that no test expects.
create or replace function sluice.count_cheap_ms() returns int
language sql immutable parallel safe
as $$ select 60000 $$;

-- Nor that the sum of a few weights is an old one, which is kept longer the longer it took.
create or replace function sluice.sum_cheap_ms() returns int
language sql immutable parallel safe
as $$ select 60000 $$;

-- Nor does any test expect that on a busy machine its transaction is so old that its tasks wait in
-- sluice.later.
create or replace function sluice.burst_time_max() returns interval
language sql immutable parallel safe
as $$ select interval '1 hour' $$;

-- Nor that a search or the count of a job's tasks ends early.
create or replace function sluice.look_time() returns interval
language sql immutable parallel safe
as $$ select interval '1 hour' $$;
create or replace function sluice.job_count_time() returns interval
language sql immutable parallel safe
as $$ select interval '1 hour' $$;

-- Nor that those to blame are no longer looked for among several tasks.
create or replace function sluice.refusals_time() returns interval
language sql immutable parallel safe
as $$ select interval '1 hour' $$;

-- Nor that a dry run reads no more than the first part of a file.
create or replace function sluice.estimate_time() returns interval
language sql immutable parallel safe
as $$ select interval '1 hour' $$;
