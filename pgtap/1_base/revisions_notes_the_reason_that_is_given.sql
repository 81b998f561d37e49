-- sluice.note_revision, sluice.give_reason
begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
create function last_reason() returns text language sql
as $$ select reason from sluice.revisions order by id desc limit 1 $$;
update sluice.models set rpm = 10 where name = :'m';
select is(last_reason(), null, 'nobody gave a reason');
set local sluice.reason = 'the provider asks for it';
update sluice.models set rpm = 20 where name = :'m';
select is(last_reason(), 'the provider asks for it', 'a setting gives it');
select is(sluice.give_reason('for a while'), 'the provider asks for it', 'functions put theirs');
update sluice.models set rpm = 30 where name = :'m';
select is(last_reason(), 'for a while', 'in its place');
set local sluice.reason = '';
update sluice.models set rpm = 40 where name = :'m';
select is(last_reason(), null, 'an empty one is none');

select * from finish();
rollback;
