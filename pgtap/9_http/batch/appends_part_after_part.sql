begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(5);

select given_speaker() as m \gset
select given_batch(:'m', 1, 't') as b \gset
select is(sluice.put_out(batch_row(:b), null, 'output', null, at(1)), null,
  'nothing makes no file');
select sluice.put_out(batch_row(:b), null, 'output', E'a\nb\n', at(1)) as f \gset
select is(sluice.put_out(batch_row(:b), :f, 'output', null, at(2)), :f::bigint,
  'nothing adds nothing');
select is(sluice.put_out(batch_row(:b), :f, 'output', E'c\n', at(2)), :f::bigint, 'more is added');
select results_eq(format('select n, lines, body from sluice.file_part where file = %s order by n',
  :f), $$values (0, 2, E'a\nb\n'), (1, 1, E'c\n')$$, 'as parts of their own');
select results_eq(format('select filename, tenant, bytes, expires_at from sluice.file '
                         'where id = %s', :f),
  format($$values ('batch_%s_output.jsonl', 't', null::bigint, at(1) + interval '30 days')$$, :b),
    'it is not whole, and stays meanwhile');

select * from finish();
rollback;
