// Estimate is what tasks would come to, were they submitted: `sluice submit --dry-run`. It reads
// them piece by piece, keeps only their sums, and changes nothing in the database.
//
// Blocking; throws what libpqxx throws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pqxx {
class transaction_base;
}

namespace sluice {

class Estimate final {
 public:
  // Adds `tasks`, an array for sluice.submit_many. Returns a number for each (see Submission).
  std::vector<int64_t> add(pqxx::transaction_base& transaction, const std::string& tasks);

  // Prints a table, or with `json` an object a line: of each model or route.
  void print(pqxx::transaction_base& transaction, bool json) const;

 private:
  std::string sums_;  // elements of a JSON array, each with a comma behind it
};

}  // namespace sluice
