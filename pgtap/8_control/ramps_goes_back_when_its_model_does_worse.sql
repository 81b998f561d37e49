-- sluice.ramp_fault, sluice.end_ramp, sluice.advance_ramps
begin;
\set alone
\ir ../_helpers.sql
\ir ../_history.sql
\ir ../_ramps.sql
select plan(11);

select given_looks();
-- judged: how a ramp stands after its first step's calls, of which so many failed.
create function judged(p_solved int, p_failed int, p_call_s numeric default 1,
  p_others_failed int default 0, p95_margin double precision default 0.5)
returns text language plpgsql
as $$
declare
  v_old text := given_model();
  v_new text := given_model();
  v_route text := given_route(v_old, v_new);
  v_from int := 600 * nextval('names');   -- ends are counted in the order of time
begin
  update sluice.routes set weight = 0 where route = v_route and model = v_new;
  perform sluice.start_ramp(v_route, v_new, 0.3, 3, '1 minute', 100,
    p95_margin => judged.p95_margin, p_now => at(v_from));
  perform ended(v_old, 200 - p_others_failed, p_others_failed, at(v_from + 20));
  perform ended(v_new, p_solved, p_failed, at(v_from + 30), p_call_s);
  return ramp_now(v_route, at(v_from + 40));
end
$$;
select is(judged(95, 5), 'aborted 1 0.0000', '5 % of its calls failed: it goes back at once');
select matches((select reason from sluice.ramps() limit 1),
  '^ramp \d+ aborted: 5 of 100 calls failed; of the others'' calls 0\.0 % did.*0\.02$',
  'and says why');
select is((select array[r.reason = s.reason, r.after ->> 'weight' = '0'] from sluice.revision r,
    sluice.ramps() s where r.name = s.route order by s.id desc, r.id desc limit 1), '{t,t}',
  'so does the revision');
select is(judged(98, 2), 'running 1 0.1111', '2 % are within the margin');
select is(judged(95, 5, p_others_failed => 8), 'running 1 0.1111', 'the others fail as well');
select is(judged(0, 2), 'running 1 0.1111', 'two of two calls may be chance');
select is(judged(0, 3), 'aborted 1 0.0000', 'three are more than a hundred calls may have');
select is(judged(100, 0, 1.3), 'running 1 0.1111', 'its calls take somewhat longer');
select is(judged(100, 0, 3), 'aborted 1 0.0000', 'they take three times as long');
select is(judged(100, 0, 3, p95_margin => 'infinity'), 'running 1 0.1111',
  'which may be of no interest');
select is(judged(99, 0, 3), 'running 1 0.1111', 'of too few calls nobody can tell');

select * from finish();
rollback;
