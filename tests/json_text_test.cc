#include "json_text.h"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE("quotes, backslashes and control characters are escaped; the rest passes") {
  CHECK(json_string("a \"b\" \\ \n\x01 \xc3\xa4") ==
        "\"a \\\"b\\\" \\\\ \\u000a\\u0001 \xc3\xa4\"");
  CHECK(json_string("") == "\"\"");
}

}  // namespace sluice
