-- hedge_after had no upper bound: beyond 292 years a worker's clock, which counts nanoseconds, overflows, and the extra call would go
-- at once. A call takes a day at most (timeout), so an extra call after a day is none. Triggers stay out of it: the functions of this
-- release are not there yet.
alter table sluice.models disable trigger user;
update sluice.models set hedge_after = interval '1 day' where hedge_after > interval '1 day';
alter table sluice.models enable trigger user;
alter table sluice.models add constraint hedge_after_is_at_most_1_day check (hedge_after <= interval '1 day');
