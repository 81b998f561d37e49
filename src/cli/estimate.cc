#include "cli/estimate.h"

#include <pqxx/pqxx>

#include "cli/rows.h"
#include "cli/table.h"

namespace sluice {
namespace {

// With several rows one of all of them behind.
constexpr const char* table_sql = R"(
  with e as (select * from sluice.estimate_sums($1::jsonb)),
  rows as (
    select false as is_total, model, count, input_tokens, output_tokens, cost_min, cost_max,
      expected_finish, why, unpriced from e
    union all
    select true, 'all', sum(count), sum(input_tokens), sum(output_tokens),
      case when count(*) = count(cost_min) then sum(cost_min) end,
      case when count(*) = count(cost_max) then sum(cost_max) end,
      case when count(*) = count(expected_finish) then max(expected_finish) end, null, null
    from e having count(*) > 1)
  select model, count, input_tokens, output_tokens,
    coalesce(round(cost_min, 4)::text || ' to ' || round(cost_max, 4), 'unknown'),
    coalesce(to_char(expected_finish, 'YYYY-MM-DD HH24:MI:SS'), 'unknown'),
    concat_ws('; ', why, 'no price: ' || array_to_string(unpriced, ', '))
  from rows order by is_total, model)";

}  // namespace

std::vector<int64_t> Estimate::add(pqxx::transaction_base& transaction, const std::string& tasks) {
  const pqxx::row row = transaction.exec_params1(
      "select jsonb_array_length($1::jsonb), sluice.task_sums($1::jsonb)", tasks);
  const std::string sums = row[1].as<std::string>();
  const std::string elements = sums.substr(1, sums.size() - 2);
  if (!elements.empty()) sums_ += elements + ',';
  return std::vector<int64_t>(row[0].as<size_t>());
}

void Estimate::print(pqxx::transaction_base& transaction, bool json) const {
  const std::string sums = '[' + sums_.substr(0, sums_.empty() ? 0 : sums_.size() - 1) + ']';
  if (json) {
    print_json_rows(transaction.exec_params(
        "select row_to_json(e) from sluice.estimate_sums($1::jsonb) e", sums));
    return;
  }
  using Kind = Table::Kind;
  Table table({{"MODEL"},
               {"TASKS", Kind::number},
               {"INPUT", Kind::number},
               {"OUTPUT", Kind::number},
               {"COST", Kind::number},
               {"EXPECTED FINISH", Kind::whole},
               {"REMARK", Kind::elastic}});
  print_rows(table, transaction.exec_params(table_sql, sums));
}

}  // namespace sluice
