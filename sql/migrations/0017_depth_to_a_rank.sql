-- One function counts a queue, whole or down to a rank. Functions are made anew after migrations.

drop function if exists sluice.depth(int, int);
do $$
begin
  execute coalesce((select string_agg(format('drop function if exists sluice.depth_%1$s(int), sluice.urgent_%1$s(int)', id), ';')
                    from sluice.models), 'select');
end
$$;
