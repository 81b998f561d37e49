begin;
\ir ../../_helpers.sql
select plan(1);


select is(array(select c from unnest(array['http_400', 'http_401', 'http_403', 'http_404',
  'http_405', 'http_429', 'not_sent', null]) c
                where sluice.is_refusal(c)), array['http_403', 'http_404', 'http_405'],
                  '403, 404, 405');

select * from finish();
rollback;
