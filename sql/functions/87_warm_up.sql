-- A session that has just begun reads the catalog, compiles functions and plans their statements as it meets them: its first
-- submit_each took 15 ms of CPU, where later ones take 2.5; its first claim 13 and its first completion 5, later ones 1 each.

-- warm_up: takes half of that from the first submits, claims and completions of this session. Workers and servers call it first thing in
-- each of their sessions, before they are ready. All of it is for nothing: for no task, for nobody's model, for a worker that is none.
-- Returns: nothing. Errors: 55P03 somebody keeps one of the tables locked.
create or replace function sluice.warm_up() returns void
language plpgsql volatile security definer
set search_path = sluice, pg_temp
set lock_timeout = '1s'
as $$
begin
  perform sluice.ended('{}'), sluice.requests(0, '{}'), sluice.complete(0, '{}'), sluice.end_solved(0, '{}', now()),
    sluice.end_calls(0, '{}', now());
  perform sluice.submit_each(array['{"prompt": "x", "model": ""}'], array['default'], array[null]);
end
$$;
