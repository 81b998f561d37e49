-- Whether the backend's verbatim reply is stored beside the answer; null: not of api solve, whose answer is the whole reply.
alter table sluice.models add column keep_response boolean;

-- Of the functions of before. Those of now are made after this.
drop function if exists sluice.judge_late(bigint, sluice.outcome[], sluice.ended_call[], timestamptz);
