begin;
\ir ../_helpers.sql
select plan(7);

select given_tenant('sluice_submitter') as a, given_tenant('sluice_submitter') as b \gset
select given_model() as m \gset
select sluice.submit('SECRETPROMPT', :'m', tenant => :'b', metadata => '{"secret": 1}') as foreign,
  sluice.submit('plain', :'m', tenant => :'a') as own \gset
set local role :"a";
select is(array(select id from sluice.find_tasks()), array[:own]::bigint[], 'of all');
select is(array(select id from sluice.find_tasks(status => 'queued', model => :'m')),
  array[:own]::bigint[], 'of a line');
select is_empty('select * from sluice.find_tasks(text => ''SECRET'')', 'by no text');
select is_empty('select * from sluice.find_tasks(metadata_key => ''secret'')', 'by no metadata');
select is((error_of(format('select * from sluice.find_tasks(tenant => %L)', :'b'))).code, 'SL009',
  'not by name either');
reset role;
-- What a condition costs, or raises, over other tenants' rows would tell of them.
create or replace function sluice.has_text(p_text text, variadic p_texts text[]) returns boolean
language plpgsql volatile
as $$
begin
  perform set_config('test.seen', current_setting('test.seen', true) || ' ' || p_texts[1], true);
  return true;
end
$$;
select set_config('test.seen', '', true) \g /dev/null
set local role :"a";
select is(array(select id from sluice.find_tasks(text => 'x')), array[:own]::bigint[],
  'a condition that holds for everything');
select is(current_setting('test.seen'), ' plain', 'was asked of his own task and no other');

select * from finish();
rollback;
