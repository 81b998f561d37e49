begin;
\ir ../_helpers.sql
select plan(14);

create function same(p_text text, p_normal text) returns text language sql
as $$ select is(sluice.normal_message(p_text), p_normal, p_text) $$;

select same('HTTP 429: try again in 1.5 s', 'HTTP #: try again in # s');
select same('model "gpt-x" is unknown', 'model … is unknown');
select same('model ''gpt-x'' is unknown', 'model … is unknown');
select same('it can''t be read and won''t', 'it can''t be read and won''t');
select same('request 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed', 'request … failed');
select same('digest deadbeef01 differs', 'digest … differs');
select same('at 0x7ffe12 it broke', 'at … it broke');
select same('req_011CQabcdefgh23 was refused', '… was refused');
select same('a decade of defaced facades', 'a decade of defaced facades');
select same(E'two\n  lines', 'two lines');
select same('at 12:30:05 of 10,000', 'at # of #');
select same('an odd " mark', 'an odd " mark');
select is(length(sluice.normal_message(repeat('word ', 300))), 200, 'it is short');
select is(sluice.normal_message(null), null, 'of no message there is none');

select * from finish();
rollback;
