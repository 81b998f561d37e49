-- The history as the HTTP front sends it: JSON or CSV.

-- csv_line: the values of an object as a line of RFC 4180. Texts are in quotes, and one that a
-- spreadsheet would take for a formula, in fullwidth characters or behind spaces and what cannot be
-- seen, too, begins with an apostrophe.
create or replace function sluice.csv_line(p_row json) returns text
language sql immutable parallel safe
as $$
  select string_agg(case json_typeof(v.value)
      when 'null' then ''
      when 'object' then '"' || replace(v.value::text, '"', '""') || '"'
      when 'string' then '"' || regexp_replace(replace(v.value #>> '{}', '"', '""'),
        E'^([\\t\\r\\n]|[[:space:][:cntrl:]\\u00A0\\u00AD\\u034F\\u061C\\u115F\\u1160\\u1680\\u17B4'
        '\\u17B5\\u180B-\\u180F\\u2000-\\u200F\\u2028-\\u202F\\u205F-\\u206F\\u2800\\u3000\\u3164'
        '\\uFE00-\\uFE0F\\uFEFF\\uFFA0]*[=+@＝＋－＠-])', E'''\\1') || '"'
      else v.value::text end, ',' order by v.ordinality)
  from json_each(p_row) with ordinality v(key, value, ordinality)
$$;

-- history_page: history_of, or by key history_of_keys, as the HTTP front sends it.
-- Params:  as history_of, but by may be key; format: json or csv.
-- Errors:  as history_of; SL004 another format, or no time.
create or replace function sluice.history_page(
  step text, since text, until text, model text, tenant text, by text, format text)
returns text
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
declare
  v_by_key boolean := coalesce(history_page.by = 'key', false);
  v_columns text := case when v_by_key then 'at,key,key_name' else 'at,model,tenant' end
    || ',solved,failed,cancelled,expired,retries,hedges,input_tokens,output_tokens,cost,'
    'wasted_tokens' || case when v_by_key then '' else ',wait_p50_s,wait_p99_s,call_p50_s,'
      'call_p99_s,total_p50_s,total_p99_s,cached_tokens,cache_write_tokens,reasoning_tokens,'
      'wasted_cost' end;
  v_times sluice.search_conditions := sluice.read_record(null::sluice.search_conditions,
    jsonb_build_object('since', history_page.since, 'until', history_page.until));
  v_rows json[];
begin
  if coalesce(history_page.format, '') not in ('json', 'csv') then
    raise exception 'there is no format "%"', left(history_page.format, 200)
      using errcode = 'SL004', column = 'format', hint = 'It is json or csv.';
  end if;
  execute format('select array(select to_json(r) from (select %s from %s) r)', v_columns,
    case when v_by_key then 'sluice.history_of_keys($1, $2, $3, $4, $5)'
      else 'sluice.history_of($1, $2, $3, $4, $5, $6)' end)
  into v_rows using history_page.step, v_times.since, v_times.until, history_page.model,
    history_page.tenant, history_page.by;
  return (
    select case history_page.format when 'json'
        then json_build_object('object', 'list', 'step', history_page.step, 'data',
          coalesce(json_agg(r.row order by r.n), '[]'))::text
      else v_columns || coalesce(string_agg(E'\r\n' || sluice.csv_line(r.row), '' order by r.n), '')
      end
    from unnest(v_rows) with ordinality r(row, n));
end
$$;
