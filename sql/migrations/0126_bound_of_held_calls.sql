-- The model's max_output_tokens with which a call's need was reckoned: it is not told to ask for
-- more.
alter table sluice.budget_call add column max_output_tokens int;
