begin;
\ir ../../_helpers.sql
select plan(6);

create function limits(p_columns jsonb) returns sluice.tenant_limits language sql
as $$ select jsonb_populate_record(null::sluice.tenant_limits, p_columns) $$;
select is(sluice.exceeds(limits(l::jsonb), priority, name), expected, why)
from (values
  ('{}', 100, 'm', false, 'no limits'), ('{"max_priority": 5}', 5, 'm', false, 'the highest'),
  ('{"max_priority": 5}', 6, 'm', true, 'one more'),
    ('{"models": ["m"]}', 100, 'm', false, 'a model that it may use'),
  ('{"models": ["m"]}', -100, 'n', true, 'another'), ('{"models": []}', 0, 'm', true, 'none')
) v(l, priority, name, expected, why);

select * from finish();
rollback;
