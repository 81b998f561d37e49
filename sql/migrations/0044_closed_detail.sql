-- closed_reason is for everybody who waits; closed_detail, what a call heard, is for administrators: a backend may quote a prompt.
alter table sluice.models add column closed_detail text;

-- Nothing tells what was closed by hand before. So all that was said is the administrators', but for the kind.
update sluice.models
set closed_detail = closed_reason,
  closed_reason = substring(closed_reason from '^(credential|billing|refused): ') || ': told to administrators'
where closed_reason is not null;

-- Made anew without them.
drop view if exists sluice.queues;
drop function if exists sluice.shown_reason(text), sluice.without_secrets(text), sluice.close_until(text, timestamptz, text);
