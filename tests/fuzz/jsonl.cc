// A line of a JSONL file never crashes the check of its outline, and what the strict parser takes
// for an object passes it.
#include <simdjson.h>

#include <cstdlib>
#include <string>

#include "json_object.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string line(reinterpret_cast<const char*>(data), size);
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const bool is_object = parser.parse(line).get(object) == simdjson::SUCCESS;
  const std::string problem = sluice::json_object_problem(line);
  if (is_object && !problem.empty()) std::abort();
  return 0;
}
