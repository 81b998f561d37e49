begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select id_of(:'m') as id \gset
select sluice.note_pace(:id, at(0)) \g /dev/null
select is((sluice.pace(:id, at(0)))::text, '(0,0)', 'without a sample one begins');
select sluice.set_counter('claimed', :id, 1000), sluice.set_counter('paced', :id, 0), sluice.set_counter('paced_at', :id,
  sluice.micros(at(0))) \g /dev/null
select sluice.note_pace(:id, at(4)) \g /dev/null
select is((sluice.pace(:id, at(4))).within_s, 4.0::float8, 'a young sample stays');
select sluice.note_pace(:id, at(10)) \g /dev/null
select is((sluice.pace(:id, at(10)))::text, '(250,2.5)', 'an old one: the same pace, a quarter as long ago');

select * from finish();
rollback;
