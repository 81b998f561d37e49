-- A job that is undone by a key ends with it, as one that a key has started does.
alter table sluice.job add column undo_key text;  -- the key for which it is undone
