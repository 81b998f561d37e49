begin;
\ir ../../_helpers.sql
select plan(1);

-- A deadlock, say. An error raised by a trigger stands for it.
select given_model() as m \gset
create function deadlock() returns trigger language plpgsql as $$ begin raise exception 'x'
  using errcode = '40P01'; end $$;
create trigger deadlock before insert on sluice.idempotency
  for each row execute function deadlock();
select throws_ok(format($$select *
    from sluice.submit_each(array['{"prompt": "a", "model": "%s"}'], array[null], array['k'],
  p_now => at(0))$$, :'m'), '40P01', null, 'it is an error of the statement');

select * from finish();
rollback;
