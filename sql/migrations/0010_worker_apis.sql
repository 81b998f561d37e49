-- Which apis a worker speaks: the models of other apis are none of its business.

alter table sluice.worker add column apis text[];  -- null: all
