-- Times as integers, because a sequence holds one: microseconds (marks) and nanoseconds (buckets) since the epoch.
-- Stable, as what they consist of is: were they called immutable, PostgreSQL would not inline them (40 us a call, so 0).

-- micros: p_time in microseconds since the epoch, exact.
create or replace function sluice.micros(p_time timestamptz) returns bigint
language sql stable parallel safe
as $$ select (extract(epoch from p_time) * 1000000)::bigint $$;

-- from_micros: the inverse of micros, exact (interval arithmetic, no floating-point seconds).
create or replace function sluice.from_micros(p_micros bigint) returns timestamptz
language sql stable parallel safe
as $$ select timestamptz 'epoch' + p_micros * interval '1 microsecond' $$;
