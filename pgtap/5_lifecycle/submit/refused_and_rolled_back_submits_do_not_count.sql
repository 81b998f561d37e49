-- sluice.submit
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
update sluice.models set max_unfinished = 10 where name = :'m';
do $$
begin
  for n in 1 .. 30 loop
    begin
      perform given_task((select max(name) from sluice.models
          where name like format('model-%s-%%', pg_backend_pid())));
      raise exception 'rolled back';
    exception when raise_exception then
      null;
    end;
  end loop;
end
$$;
select cmp_ok(sluice.counter('load', id_of(:'m')), '<=', 10::bigint,
  'the gauge was set back by counting');
select lives_ok(format('select given_task(%L) from generate_series(1, 10)', :'m'),
  'all ten places are free');
select is((error_of(format('select given_task(%L)', :'m'))).code, 'SL003', 'and no more');

select * from finish();
rollback;
