-- sluice.needs_of, sluice.unread_of, sluice.read_needs
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(19);

-- Parsing is counted, in bytes.
create temporary table parsed (bytes int);
grant all on parsed to public;
alter function sluice.request_bounds rename to bounds_for_real;
create function sluice.request_bounds(
  p_api text, p_request text, out input int, out output int, out fault text) language plpgsql
as $$
begin
  insert into pg_temp.parsed values (octet_length(p_request));
  select b.* into input, output, fault from sluice.bounds_for_real(p_api, p_request) b;
end
$$;
-- bytes: how many were parsed since it was called last.
create function bytes() returns bigint language sql
as $$
  with gone as (delete from pg_temp.parsed returning bytes)
  select coalesce(sum(bytes), 0) from gone
$$;
-- claimed_alone: as in a transaction of its own.
create function claimed_alone(p_worker bigint, p_now timestamptz) returns int language sql
as $$
  select set_config('sluice.bytes_parsed', '', true);
  select cardinality(claimed(p_worker, 50, p_now));
$$;
-- text_of: a request of p_messages messages, of 30 bytes each.
create function text_of(p_messages int) returns text language sql
as $$
  select format('{"max_tokens": 6, "messages": [%s]}', string_agg(
    '{"role":"user","content":"x"}', ',')) from generate_series(1, p_messages)
$$;
select octet_length(text_of(1000)) as large \gset

select given_priced_model() as m, given_priced_model() as c \gset
update sluice.models set api = 'openai-chat' where name in (:'m', :'c');
select given_tenant() as evil, given_worker(array[:'m', :'c']) as w \gset
select sluice.submit(null, :'m', tenant => :'evil', request => text_of(1000), p_now => at(0))
  as old from generate_series(1, 8) \g /dev/null
select is(bytes(), 0::bigint, 'while there is no budget nobody parses');
select given_budget('tenant', :'evil', 1e12) as b \gset
select sluice.submit(null, :'m', tenant => :'evil', request => text_of(1000), p_now => at(1)) as t1
  \gset
select sluice.submit_many(jsonb_build_array(jsonb_build_object('model', :'m', 'tenant', :'evil',
  'request', text_of(1000)), jsonb_build_object('model', :'m', 'prompt', 'x')), at(1)) \g /dev/null
select is(bytes(), 2 * :large::bigint, 'then each submit parses its own');
select results_eq(format('select (t.bounds).*, bounds is null from sluice.task t where id = %s',
  :t1), format('values (%L, %s, 6, null::text, false)', 'openai-chat', :large + 64),
  'and keeps what it has found');
select given_task(:'c') as others \g /dev/null
select is(claimed_alone(:w, at(2)), 7, 'a claim takes these, another model''s, and some older');
select is(bytes(), 3 * :large::bigint, 'of which it parses 64 KiB, and one to its end');
select is((select count(distinct nanos) from sluice.budget_call where nanos = :large + 64 + 6),
  1::bigint, 'what is held is the same');
select is(claimed(:w, 50, at(2)), '{}', 'the same transaction parses no more');
select is(claimed_alone(:w, at(3)), 3, 'the others stay in their line until the next claim');
select is(claimed_alone(:w, at(4)), 2, 'and the next');
select is(bytes(), 5 * :large::bigint, 'each was parsed once');

-- A budget of another tenant.
select sluice.submit(null, :'m', tenant => 'free', request => text_of(3000), p_now => at(5)) as t2,
  sluice.submit(null, :'m', tenant => :'evil', request => text_of(3000), p_now => at(5)) as t3 \gset
select bytes() \g /dev/null
update sluice.task set bounds = null where id in (:t2, :t3);
select is(claimed_alone(:w, at(6)), 2, 'one larger than 64 KiB is claimed, too');
select is(bytes(), octet_length(text_of(3000))::bigint,
  'and parsed, but not that of a tenant without a budget');
select is(completed(:w, told(:t3, 'failed', error => 'HTTP 400'), at(6)), true, 'it fails');
select sluice.redrive(:t3, p_now => at(6)) \g /dev/null
select is(row(claimed_alone(:w, at(6)), bytes()), row(1, 0::bigint),
  'redriven it is not parsed again');

-- Another api; texts that are forgotten.
select sluice.submit(null, :'m', tenant => :'evil', request => text_of(10), p_now => at(7)) as t4
  \gset
update sluice.task set bounds.api = 'anthropic-messages' where id = :t4;
select bytes() \g /dev/null
update sluice.budgets set is_hard = false where name = :'b';
select set_config('sluice.bytes_parsed', '65536', true) \g /dev/null
select is(claimed(:w, 50, at(8)), '{}', 'a budget that only tells has it wait, too');
select is(claimed_alone(:w, at(8)), 1, 'what is kept for one api');
select is(bytes(), octet_length(text_of(10))::bigint, 'says nothing to another one');
select is(completed(:w, told(:t4, 'failed', error => 'HTTP 400'), at(9)), true, 'it fails');
select sluice.forget_texts(array[:t4], at(10));
select is((select bounds is null from sluice.task where id = :t4), true,
  'the names of keys in a request are forgotten with it');

select * from finish();
rollback;
