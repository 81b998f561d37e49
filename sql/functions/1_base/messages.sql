-- Error messages of backends, compared by what they say and not by what they name.

-- normal_message: an error message without what differs between two of the same kind, so that equal
-- ones can be counted together: a quoted part, a UUID, and an id (a word with letters and digits:
-- hexadecimal of 8 characters, any other of 12) become …, a number #, white space one blank. Only
-- the first 400 characters count.
-- Returns: at most 200 characters; null for null.
-- An apostrophe within a word begins no quoted part. A bound on a quoted part's length would make
-- it up to twenty times as slow: 0.2 s for 1,000 messages of 400 odd characters, 2.6 with one.
create or replace function sluice.normal_message(p_text text) returns text
language sql immutable parallel safe
as $$
  select left(btrim(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(left(p_text, 400),
      E'"[^"\\n]*"|`[^`\\n]*`|(?<![[:alnum:]])''[^''\\n]*''(?![[:alnum:]])',
      '…', 'g'),
      E'\\m([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]+'
      '|(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,}'
      '|(?=[a-z_]*[0-9])(?=[0-9_]*[a-z])[0-9a-z_]{12,})\\M',
      '…', 'gi'),
      '[0-9]+([.,:][0-9]+)*', '#', 'g'),
      '[[:space:]]+', ' ', 'g')), 200)
$$;
