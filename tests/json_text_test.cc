#include "json_text.h"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE("quotes, backslashes and control characters are escaped; the rest passes") {
  CHECK(json_string("a \"b\" \\ \n\x01 \xc3\xa4") == "\"a \\\"b\\\" \\\\ \\n\\u0001 \xc3\xa4\"");
  CHECK(json_string("\b\t\n\f\r\x1f\x7f") == "\"\\b\\t\\n\\f\\r\\u001f\x7f\"");
  CHECK(json_string("") == "\"\"");
}

TEST_CASE("how long a text will be is known before it is escaped, wherever it is cut") {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += static_cast<char>(i % 259 * 3);
  text.append(500, '\x01').append(500, '\\').append(100, 'x').append(40, '\n');
  for (size_t cut = 0; cut <= text.size(); cut += 97) {
    const std::string_view one = std::string_view(text).substr(0, cut);
    const std::string_view two = std::string_view(text).substr(cut);
    std::string pieces = "\"";
    append_json_escaped(pieces, one);
    CHECK(pieces.size() == 1 + json_escaped_bytes(one));
    append_json_escaped(pieces, two);
    CHECK(pieces + '"' == json_string(text));
  }
}

}  // namespace sluice
