#include "api/doctor.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "api/error_reply.h"
#include "json_object.h"

namespace sluice {
namespace {

// Who waits for it has a client that gives up after a minute; the dials of backends take 3 s.
constexpr int64_t look_ns_max = 30 * ns_per_s;
constexpr size_t output_bytes_max = size_t{1} << 20;  // thousands of findings
// It reads statistics of the whole server, and dials each backend.
constexpr int64_t found_ns_max = 60 * ns_per_s;
constexpr int64_t failed_ns_max = 5 * ns_per_s;

// What workers read is not this process's to judge.
constexpr std::string_view left_out = R"({"check":"secrets",)";

// Ours, but for the database.
std::vector<std::string> environment_of(const DoctorOptions& options) {
  const std::string database = "SLUICE_DATABASE_URL=";
  const std::string direct = "SLUICE_DIRECT_URL=";
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const bool is_replaced = (!options.database_url.empty() && text.starts_with(database)) ||
                             (!options.direct_url.empty() && text.starts_with(direct));
    if (!is_replaced) environment.emplace_back(text);
  }
  if (!options.database_url.empty()) environment.push_back(database + options.database_url);
  if (!options.direct_url.empty()) environment.push_back(direct + options.direct_url);
  return environment;
}

ProgramOptions program_of(const DoctorOptions& options) {
  return {.path = "/proc/self/exe",  // this version, whatever has been installed since
          .argv = {"sluice", "doctor", "--json"},
          .environment = environment_of(options),
          .output_bytes_max = output_bytes_max,
          .run_ns_max = look_ns_max};
}

// The lines of findings as a list; nullopt: that is not what doctor says at its end.
std::optional<std::string> list_of(const ProgramEnd& end) {
  std::string list;
  size_t findings = 0;
  std::string_view rest = end.output;
  while (!rest.empty()) {
    const size_t length = std::min(rest.find('\n'), rest.size());
    std::string line(rest.substr(0, length));
    rest.remove_prefix(std::min(length + 1, rest.size()));
    if (!json_object_problem(line).empty()) return std::nullopt;
    ++findings;
    if (line.starts_with(left_out)) continue;
    if (!list.empty()) list += ',';
    list += line;
  }
  if (end.exit_code != (findings == 0 ? 0 : 1)) return std::nullopt;
  return fmt::format(R"({{"object":"list","looked_at":"{:%FT%TZ}","data":[{}]}})",
                     fmt::gmtime(std::time(nullptr)), list);
}

}  // namespace

// A request that waits for the look under way.
class Doctor::Waiter final {
 public:
  explicit Waiter(Doctor& doctor) : doctor_(doctor) { doctor_.waiters_.push_back(this); }
  ~Waiter() { std::erase(doctor_.waiters_, this); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  Signal done;

 private:
  Doctor& doctor_;
};

Co<Result<std::string>> Doctor::findings() {
  if (!is_looking_ && clock_.now_ns() >= good_until_ns_) {
    is_looking_ = true;
    coroutines_.spawn(look());
  }
  if (is_looking_) {
    Waiter waiter(*this);
    co_await waiter.done.wait();
  }
  co_return found_;
}

Co<void> Doctor::look() {
  Co<Result<ProgramEnd>> program = run_program(loop_, clock_, program_of(options_));
  const Result<ProgramEnd> end = co_await std::move(program);
  std::optional<std::string> list;
  if (end) list = list_of(*end);
  if (list) {
    found_ = std::move(*list);
  } else {
    const std::string reason =
        end ? fmt::format("it ended with status {}", end->exit_code) : end.error().message;
    spdlog::warn("doctor for the console: {}", reason);
    found_ = tl::unexpected(Error{Error::Action::retry_later, {}, reason});
  }
  good_until_ns_ = clock_.now_ns() + (list ? found_ns_max : failed_ns_max);
  is_looking_ = false;
  for (Waiter* waiter : waiters_) waiter->done.raise();
}

Co<HttpReply> show_findings(Services& services, ApiRequest /*request*/) {
  Co<Result<std::string>> reply = services.doctor.findings();
  Result<std::string> found = co_await std::move(reply);
  if (!found) {
    co_return error_reply(503, "unavailable",
                          "sluice doctor did not come to its end: " + found.error().message, {},
                          "Run it in a shell: it says there what is wrong.");
  }
  co_return json_reply(200, std::move(*found) + "\n");
}

}  // namespace sluice
