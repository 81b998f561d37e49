-- Histograms of times: how many tasks took how long. Bin 0 holds what took less than 1 ms, bin n
-- times from 1 ms * 2^((n - 1) / 4) to 1 ms * 2^(n / 4), and the last, 120, everything above
-- 10.4 days. A histogram is an array of counts whose subscripts are the bins, from the first to the
-- last that holds anything; null: it is empty.

-- bin_of: the bin of a time in seconds; null: none.
create or replace function sluice.bin_of(p_time_s double precision) returns int
language sql immutable parallel safe
as $$
  select case when p_time_s >= 0.001
    then least(120, 1 + floor(ln(p_time_s * 1000) * (4 / ln(2::float8)))::int)
    when p_time_s is not null then 0 end
$$;

-- histogram: how many of each bin; a bin that is null is none.
-- Params:  arrays of equal length; null: none.
create or replace function sluice.histogram(p_bins int[], p_counts bigint[]) returns int[]
language plpgsql immutable parallel safe
as $$
declare
  v_counts int[];
begin
  for i in 1 .. coalesce(cardinality(p_bins), 0) loop
    continue when p_bins[i] is null;
    v_counts[p_bins[i]] := coalesce(v_counts[p_bins[i]], 0)
      + least(p_counts[i], 2147483647 - coalesce(v_counts[p_bins[i]], 0));
  end loop;
  return v_counts;
end
$$;

-- add_counts: the sum of two histograms.
create or replace function sluice.add_counts(p_counts int[], p_more int[]) returns int[]
language plpgsql immutable parallel safe
as $$
declare
  v_counts int[] := p_counts;
begin
  if p_counts is null or p_more is null then
    return coalesce(p_counts, p_more);
  end if;
  for i in array_lower(p_more, 1) .. array_upper(p_more, 1) loop
    if p_more[i] is not null then
      v_counts[i] := coalesce(v_counts[i], 0)
        + least(p_more[i], 2147483647 - coalesce(v_counts[i], 0));
    end if;
  end loop;
  return v_counts;
end
$$;

-- sum_counts: the sum of histograms.
create or replace aggregate sluice.sum_counts(int[]) (sfunc = sluice.add_counts, stype = int[]);

-- percentile: the time in seconds within which a part of a histogram's tasks stayed. It may be
-- wrong by the bin's width, a fifth of the time. Null: the histogram is empty.
-- Params:  counts: of the histogram's bins; part: from 0 to 1, 0.99 for the 99th percentile.
--
-- Interpolated within its bin.
create or replace function sluice.percentile(counts int[], part double precision)
returns double precision
language plpgsql immutable strict parallel safe
set search_path = sluice, pg_temp
as $$
declare
  v_count int;
  v_wanted double precision := 0;
  v_before double precision := 0;
  v_start_s double precision;
begin
  foreach v_count in array percentile.counts loop
    v_wanted := v_wanted + coalesce(v_count, 0);
  end loop;
  v_wanted := v_wanted * percentile.part;
  for i in array_lower(percentile.counts, 1) .. array_upper(percentile.counts, 1) loop
    if v_before + percentile.counts[i] >= v_wanted then
      v_start_s := case when i > 0 then 0.001 * 2 ^ ((i - 1) / 4.0::float8) else 0 end;
      return v_start_s + (0.001 * 2 ^ (i / 4.0::float8) - v_start_s)
        * (v_wanted - v_before) / percentile.counts[i];
    end if;
    v_before := v_before + coalesce(percentile.counts[i], 0);
  end loop;
  return null;
end
$$;
