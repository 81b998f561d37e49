-- Changes of fallbacks have revisions, too.

alter table sluice.revision drop constraint kind_is_a_table,
  add constraint kind_is_a_table
    check (kind in ('models', 'routes', 'fallbacks', 'tenants', 'settings', 'budgets'));
