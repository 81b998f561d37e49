-- What a batch puts out is accepted with it.
drop function if exists sluice.accept_upload(text), sluice.accept_batch(text);
