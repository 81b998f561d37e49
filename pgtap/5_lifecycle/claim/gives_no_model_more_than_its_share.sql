begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as a \gset
select given_model() as b \gset
select given_worker(array[:'a', :'b']) as w \gset
select given_tasks(:'a', 20) \gset
select given_tasks(:'b', 20) \gset
select format($$
  create function taken(p_shares int[], p_max int) returns text language sql
  as 'select coalesce(string_agg(n || '' '' || model, '', '' order by model), ''nothing'') from (
    select case model when ''%1$s'' then ''a'' else ''b'' end as model, count(*) as n
    from sluice.claim_within(%3$s, array[''%1$s'', ''%2$s''], p_shares, p_max, at(1)) group by 1) x'
  $$, :'a', :'b', :w) \gexec
select is(taken('{3,5}', 100), '3 a, 5 b', 'exactly, though slots are left');
select is(taken('{0,1}', 100), '1 b', 'none');
select is(taken('{1,9}', 8), '1 a, 7 b', 'what one may not use goes to the other');
select is(taken('{0,0}', 8), 'nothing', 'nobody');
select is(taken('{2,null}', 8), '2 a, 6 b', 'null: as many as there are slots');

select * from finish();
rollback;
