begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select 'backlog_' || id_of(:'m') as line \gset
create function lower_them(p_line text) returns void language plpgsql security definer as $$
begin
  perform sluice.make_lanes(p_line, '{0,0}', '{7,8}');
  perform sluice.set_mark(id, at(10)) from sluice.lane where line = p_line;
  perform sluice.lower_marks(p_line, '{0}', array[at(5)], '{7}');
end
$$;
alter function lower_them owner to sluice_owner;
select lower_them(:'line');
select is((select sluice.mark(id) from sluice.lane where line = :'line' and tenant = 7), at(5) - interval '1 microsecond',
  'his mark is below his row');
select is((select sluice.mark(id) from sluice.lane where line = :'line' and tenant = 8), at(10),
  'the others scan no dead rows again');

select * from finish();
rollback;
