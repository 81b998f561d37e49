-- What the HTTP front keeps: its keys, and files and batches in the shape of OpenAI's and Anthropic's APIs. What a batch does are tasks
-- like all others; these tables hold what was uploaded, what becomes of each line, and what is handed out at the end.

-- Keys. The key itself is shown once, when it is made, and stored nowhere.
-- sha256: of the whole key. A plain hash is right here: a key is 32 random bytes, so there is nothing to guess that a slow
-- or salted hash would protect, and each request needs one.
create table sluice.api_key (
  id         text primary key,
  sha256     bytea not null,
  name       text not null,
  tenant     text,                 -- whose it is; null: of no tenant
  scopes     text[] not null,
  created_at timestamptz not null,
  revoked_at timestamptz,          -- set once
  constraint id_is_16_hexadecimal_digits check (id ~ '^[0-9a-f]{16}$'),
  constraint sha256_has_32_bytes check (octet_length(sha256) = 32),
  constraint name_is_1_to_200_characters check (length(name) between 1 and 200),
  constraint tenant_is_1_to_200_characters check (length(tenant) between 1 and 200),
  constraint scopes_are_known check (cardinality(scopes) > 0 and scopes <@ array['submit', 'read', 'admin']),
  constraint administrators_have_no_tenant check (tenant is null or not 'admin' = any (scopes))
);

-- Files that were uploaded or put out. A file is there when it is whole: bytes is null while it is being written.
create table sluice.file (
  id         bigint generated always as identity primary key,
  bytes      bigint,
  lines      int,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  tenant     text,                 -- null: of no tenant
  purpose    text not null,        -- batch_output: put out by a batch
  filename   text not null,
  constraint purpose_is_known check (purpose in ('batch', 'batch_output')),
  constraint filename_is_1_to_255_characters check (length(filename) between 1 and 255),
  constraint a_whole_file_has_bytes_and_lines check ((bytes is null) = (lines is null))
);
create index file_expiry on sluice.file (expires_at);

-- What is in a file, in parts of whole lines, so that a part can be read without its neighbours. Not compressed: it is read as often as
-- written, and soon gone.
create table sluice.file_part (
  file  bigint not null references sluice.file on delete cascade,
  n     int not null,              -- from 0
  lines int not null,
  body  text not null,
  primary key (file, n)
);
alter table sluice.file_part alter column body set storage external;

-- Batches; one step at a time moves each through its phases. phase: what is done next. For OpenAI's words see sluice.batch_status.
create table sluice.batch (
  id                bigint generated always as identity primary key,
  input_file        bigint not null,      -- no reference: files go before their batches
  output_file       bigint,
  error_file        bigint,
  created_at        timestamptz not null,
  expires_at        timestamptz not null, -- what has not ended by then is expired
  in_progress_at    timestamptz,
  finalizing_at     timestamptz,
  cancelling_at     timestamptz,
  ended_at          timestamptz,
  look_at           timestamptz not null, -- there is nothing to do before
  output_lifetime   interval not null,    -- of the files it puts out
  position          int not null default 0,  -- how far its phase has come: parts of the file, or lines
  total             int not null default 0,  -- lines, of them:
  completed         int not null default 0,
  failed            int not null default 0,
  phase             text not null default 'validate',
  ending            text,                 -- why it ends before its lines have
  endpoint          text not null,
  completion_window text not null,        -- as it was sent
  tenant            text,
  metadata          jsonb,
  errors            jsonb,                -- what validation found
  constraint phase_is_known check (phase in ('validate', 'submit', 'run', 'stop', 'write', 'done')),
  constraint ending_is_known check (ending in ('cancelled', 'expired', 'failed')),
  constraint what_is_done_has_ended check ((phase = 'done') = (ended_at is not null))
);
create index batch_work on sluice.batch (look_at) where phase <> 'done';
create index batch_ended on sluice.batch (ended_at) where phase = 'done';

-- A line of the input that passed validation. It goes when its result is in a file. There is room beside each line for the version of it
-- that names its task: it is updated once, and in place. A seventh of the WAL of a batch.
create table sluice.batch_line (
  batch      bigint not null references sluice.batch on delete cascade,
  line       int not null,           -- from 1
  task_id    bigint,                 -- null: not submitted, or refused
  custom_id  text not null,
  model      text not null,
  error_code text,                   -- of the refusal
  error      text,
  primary key (batch, line),
  constraint custom_id_is_1_to_512_characters check (length(custom_id) between 1 and 512)
) with (fillfactor = 50);
create unique index batch_line_custom_id on sluice.batch_line (batch, custom_id);

-- The Idempotency-Key that a batch was created with: who repeats a create gets the same batch. It goes with its batch.
create table sluice.batch_key (
  tenant         text not null,    -- '' for a key without a tenant
  key_sha256     bytea not null,
  content_sha256 bytea not null,   -- of the request's body
  batch          bigint references sluice.batch on delete cascade,  -- null: its transaction is open
  primary key (tenant, key_sha256)
);
create index batch_key_batch on sluice.batch_key (batch);
