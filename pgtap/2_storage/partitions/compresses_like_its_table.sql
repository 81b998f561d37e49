begin;
\ir ../../_helpers.sql
select plan(2);

select coalesce(max(end_id), 0) as first from sluice.id_range \gset
select sluice.make_range(9999, :first, :first + 10) \g /dev/null
select is_empty($$select p.attname from unnest(array['task', 'result']) t(name)
  join pg_attribute o on o.attrelid = ('sluice.' || t.name)::regclass
  join pg_attribute p on p.attrelid = ('sluice.' || t.name || '_9999')::regclass
    and p.attname = o.attname
  where p.attcompression <> o.attcompression$$, 'a new partition');
select is(
  (select count(*) from pg_attribute where attcompression = 'l'
    and attrelid in ('sluice.task'::regclass, 'sluice.result'::regclass)),
  (select case when 'lz4' = any (enumvals) then 4 else 0 end::bigint from pg_settings
    where name = 'default_toast_compression'),
  'by LZ4 where there is one');

select * from finish();
rollback;
