#include "cli/line_reader.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "command_error.h"

namespace sluice {
namespace {

// A temporary file that goes with the test.
class TextFile final {
 public:
  explicit TextFile(const std::string& text) {
    const int fd = mkstemp(path_);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    close(fd);
  }
  ~TextFile() { unlink(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/sluice-lines-XXXXXX";
};

std::vector<LineReader::Line> lines_of(const std::string& text, size_t line_bytes_max) {
  const TextFile file(text);
  LineReader reader(file.path(), line_bytes_max);
  CHECK(reader.bytes_total() == text.size());
  std::vector<LineReader::Line> lines;
  for (LineReader::Line line; reader.next(line);) lines.push_back(line);
  CHECK(reader.bytes_read() == text.size());
  return lines;
}

}  // namespace

TEST_CASE("lines are numbered, and the last one needs no newline") {
  const auto lines = lines_of("a\n\nbc", 10);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].text == "a");
  CHECK(lines[1].text.empty());
  CHECK(lines[2].text == "bc");
  CHECK(lines[2].number == 3);
  CHECK(lines_of("", 10).empty());
  CHECK(lines_of("\n", 10).size() == 1);
}

TEST_CASE("a line as long as allowed is kept, a longer one is passed over") {
  const std::string long_line(5 << 20, 'x');
  const auto lines = lines_of("12345\n123456\n" + long_line + "\nend\n", 5);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].text == "12345");
  CHECK(lines[1].too_long);
  CHECK(lines[2].too_long);
  CHECK(lines[2].text.empty());
  CHECK(lines[3].text == "end");
  CHECK(lines_of(long_line, long_line.size()).front().text == long_line);
}

TEST_CASE("a file that cannot be read is named") {
  CHECK_THROWS_WITH_AS(LineReader("/nonexistent/x.jsonl", 10),
                       "cannot open /nonexistent/x.jsonl: No such file or directory", CommandError);
}

}  // namespace sluice
