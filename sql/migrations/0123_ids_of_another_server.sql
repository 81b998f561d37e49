-- After a promotion or a restore that has left the last commits behind, ids were given out anew,
-- while a worker still had calls of the lost tasks that had them. ids_given_on: on which server and
-- timeline ids were given last; first_id: the first task's there.
create sequence sluice.ids_given_on minvalue 0;
create sequence sluice.first_id minvalue 0;
