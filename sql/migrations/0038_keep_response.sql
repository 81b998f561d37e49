-- Whether the backend's verbatim reply is stored beside the answer; null: not of api solve, whose answer is the whole reply.
alter table sluice.models add column keep_response boolean;
