-- sluice.require_task
begin;
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
select given_tenant('sluice_submitter') as mine, given_tenant('sluice_submitter') as theirs \gset
select given_task(:'m', tenant => :'mine') as own, given_task(:'m', tenant => :'theirs') as waiting,
  given_task(:'m', tenant => :'theirs') as ended \gset
select sluice.cancel(:ended, at(1)) \g /dev/null

set local role :"mine";
create temporary table refused on commit drop as
  select f.name, t.id, e.* from unnest(array['cancel', 'redrive', 'forget', 'explain']) f(name)
  cross join (values (:waiting), (:ended)) t(id)
  cross join lateral error_of(format('select sluice.%I(%s)', f.name, t.id)) e;
select is(array_agg(row(code, message, hint)::text), array_fill(
    row('SL006', 'there is no task ' || id, 'sluice tasks lists what there is.')::text, array[4]),
      'of another tenant: ' || id)
from refused group by id order by id;
select is((error_of('select sluice.cancel(-1)')).message, 'there is no task -1',
  'as of one that is not there');
select is(sluice.cancel(:own), 'cancelled', 'his own is there');
select lives_ok(format('select sluice.redrive(%s)', :own), 'for redrive, too');
select is((error_of(format('select sluice.forget(%s)', :own))).code, 'SL004', 'and for forget');
reset role;
select is(places(:waiting), 'queue', 'theirs waits on');
select is(places(:ended), 'cancelled', 'and the other is as it was');

select * from finish();
rollback;
