-- sluice.rival_of, sluice.note_speed_kept
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(3);

select given_model() as fast, given_model() as slow \gset
select given_choice('latency', :'fast', :'slow') as r \gset
select given_worker(array[:'fast', :'slow']) as w \gset
select given_speed(:'fast', 0.01), given_speed(:'slow', 0.03) \g /dev/null
select trickled(:'r', :w, 10, 100) \g /dev/null
select is(calls(:'fast', :'slow'), '{10,0}', 'a pause before is not silence');
select is(round((sluice.rival_of(model_row(:'fast'), at(110.05))).seconds::numeric, 2), 0.10,
  'nothing ends: it takes as long as that already');
select trickled(:'r', :w, 10, 110) \g /dev/null
select is(calls(:'fast', :'slow'), '{10,10}', 'and gets no more');

select * from finish();
rollback;
