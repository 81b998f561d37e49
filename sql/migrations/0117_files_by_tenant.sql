-- A tenant's files are listed, and counted, without those of others.
create index file_of_tenant on sluice.file (coalesce(tenant, 'default'), id);

-- What the files of all take, as last counted, and until when that holds.
create unlogged sequence sluice.files_bytes minvalue 0 start 0;
create unlogged sequence sluice.files_after minvalue 0 start 0;
