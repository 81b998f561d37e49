begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m, given_model(tpm => 1000) as few \gset
select given_route(:'m', :'few') as r \gset
create function passes(p_model text, p_route text, p_want int, p_is_limited boolean,
  variadic p_own boolean[]) returns boolean
language sql
as $$
  select sluice.passes_over(model_row(p_model), own_line(p_route), p_want, p_is_limited,
    array(select row(1, 1, at(0), at(0), null, 0, 1, 1, 1, 0, 0, 'default', 1,
      case when o then id_of(p_model) else own_line(p_route) end)::sluice.lease
        from unnest(p_own) o))
$$;
select is(passes(:'m', :'r', 2, false, true, true), false,
  'nothing waits: it has passed nothing over');
select given_task(:'r', p_now => at(0)) \g /dev/null
select is(passes(:'m', :'r', 2, false, true, true), true, 'its own instead');
select is(passes(:'m', :'r', 2, false, false, true), true, 'also some of its own');
select is(passes(:'m', :'r', 3, false, false, true), false,
  'fewer than it wanted: no more was to be had');
select is(passes(:'m', :'r', 2, true, false, false), true, 'it is at its limit');
select is(passes(:'m', :'r', 2, false, false, false), false, 'the route''s only');
select is(passes(:'few', :'r', 3, false, false), true, 'tokens did not suffice');

select * from finish();
rollback;
