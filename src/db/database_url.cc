#include "db/database_url.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <pqxx/pqxx>
#include <string_view>

#include "command_error.h"
#include "runtime/request_problem.h"
#include "runtime/session_settings.h"

namespace sluice {
namespace {

using ConninfoOptions = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

std::string_view value_of(const PQconninfoOption* options, std::string_view keyword) {
  for (const auto* option = options; option->keyword != nullptr; ++option) {
    if (keyword == option->keyword && option->val != nullptr) return option->val;
  }
  return {};
}

bool is_url(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

// Why libpq refuses the text, in our own words: its message quotes the text, password and all.
const char* unreadable_because(std::string_view text) {
  if (is_url(text)) {
    if (!percent_decode(text)) {
      return "a % stands before something else than two hexadecimal digits";
    }
    if (text.find('[') < text.find('?') && text.find(']') == std::string_view::npos) {
      return "an IPv6 address begins with [ and does not end";
    }
    return "a parameter after ? is unknown or has no value";
  }
  if (text.find('=') == std::string_view::npos) {
    return "it begins neither with postgresql:// nor is it key=value pairs";
  }
  return "a key is unknown or has no value, or a quote does not end";
}

bool is_port(std::string_view text) {
  int port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failed == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65'535;
}

// Why a text that libpq accepts cannot be meant; null: it can. An unescaped '@', '/' or ':' in a
// password makes it take the rest of the password for a host, a port or a database, and its
// connection errors would then print it.
const char* odd_because(const PQconninfoOption* options) {
  const auto has_at = [&](std::string_view keyword) {
    return value_of(options, keyword).find('@') != std::string_view::npos;
  };
  const bool is_socket = value_of(options, "host").starts_with('/');
  if ((has_at("host") && !is_socket) || has_at("dbname")) {
    return "there is an @ too many: one in the user's name or the password is written %40, / %2F, "
           ": "
           "%3A";
  }
  std::string_view ports = value_of(options, "port");
  while (!ports.empty()) {
    const std::string_view port = ports.substr(0, ports.find(','));
    if (!port.empty() && !is_port(port)) return "a port is not a number from 1 to 65535";
    ports.remove_prefix(std::min(port.size() + 1, ports.size()));
  }
  return nullptr;
}

// Which server is wanted of those that the URL names. Of several all but one are standbys, where
// little can be done; and behind one name there may be another server tomorrow.
struct Wish {
  const char* attributes;
  bool is_for_one_too = false;
};

bool leaves_choice_to_us(const PQconninfoOption* options, const Wish& wish) {
  const auto says = [options](const char* keyword, const char* variable) {
    const std::string_view value = value_of(options, keyword);
    const char* setting = std::getenv(variable);
    return value.empty() && setting != nullptr ? std::string_view(setting) : value;
  };
  const bool has_several = says("host", "PGHOST").find(',') != std::string_view::npos ||
                           says("hostaddr", "PGHOSTADDR").find(',') != std::string_view::npos;
  return (has_several || wish.is_for_one_too) &&
         says("target_session_attrs", "PGTARGETSESSIONATTRS").empty();
}

void append(std::string& conninfo, std::string_view keyword, std::string_view value) {
  conninfo.append(keyword).append("='");
  for (const char c : value) {
    if (c == '\'' || c == '\\') conninfo += '\\';
    conninfo += c;
  }
  conninfo += "' ";
}

std::string conninfo_for(const std::string& url, const Wish& wish) {
  const ConninfoOptions options(PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree);
  const char* problem = options ? odd_because(options.get()) : unreadable_because(url);
  if (problem != nullptr) {
    throw CommandError(ExitCode::bad_configuration,
                       std::string("the database URL is malformed (not shown: it may hold a "
                                   "password): ") +
                           problem +
                           "; expected postgresql://USER:PASSWORD@HOST:PORT/NAME or "
                           "key=value pairs");
  }
  std::string conninfo;
  bool has_timeout = std::getenv("PGCONNECT_TIMEOUT") != nullptr;
  for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
    const std::string_view keyword = option->keyword;
    if (option->val == nullptr || keyword == "client_encoding") continue;
    has_timeout = has_timeout || keyword == "connect_timeout";
    append(conninfo, keyword, option->val);
  }
  append(conninfo, "client_encoding", "UTF8");  // whatever PGCLIENTENCODING says
  if (value_of(options.get(), "fallback_application_name").empty()) {
    append(conninfo, "fallback_application_name", "sluice");
  }
  if (leaves_choice_to_us(options.get(), wish)) {
    append(conninfo, "target_session_attrs", wish.attributes);
  }
  if (!has_timeout) append(conninfo, "connect_timeout", std::to_string(connect_timeout_s));
  return conninfo;
}

bool is_named(const std::string& url) {
  const auto is_set = [](const char* variable) { return std::getenv(variable) != nullptr; };
  constexpr const char* variables[] = {"PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGSERVICE"};
  return !url.empty() || std::any_of(std::begin(variables), std::end(variables), is_set);
}

// What can be done about a database that cannot be reached.
std::string_view way_to_database(const std::string& url, std::string_view reason) {
  if (reason.find("/sluice-data/pgdata/.s.PGSQL.") != std::string_view::npos) {
    return "start `sluice up` again, whose database it is";
  }
  std::error_code ignored;
  if (url.empty() && std::filesystem::exists("./sluice-data/env", ignored)) {
    return "`. ./sluice-data/env` names the database of `sluice up` here";
  }
  return is_named(url) ? "named by --database-url, SLUICE_DATABASE_URL, DATABASE_URL or PG*"
                       : "no database is named: --database-url or DATABASE_URL names one, and "
                         "`sluice up` makes one";
}

}  // namespace

std::string conninfo_of(const std::string& url) {
  return conninfo_for(url, {"read-write"});
}

std::string primary_conninfo_of(const std::string& url) {
  return conninfo_for(url, {"read-write", /*is_for_one_too=*/true});
}

std::string standby_conninfo_of(const std::string& url) {
  return conninfo_for(url, {"standby"});
}

bool may_hold_password(const std::string& url) {
  const ConninfoOptions options(PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree);
  return !options || odd_because(options.get()) != nullptr ||
         !value_of(options.get(), "password").empty() ||
         !value_of(options.get(), "sslpassword").empty();
}

void export_database(const std::string& url) {
  const ConninfoOptions options(PQconninfoParse(conninfo_of(url).c_str(), nullptr),
                                &PQconninfoFree);
  for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr && option->envvar != nullptr) setenv(option->envvar, option->val, 1);
  }
}

std::unique_ptr<pqxx::connection> connect(const std::string& url) {
  const std::string conninfo = conninfo_of(url);
  try {
    auto connection = std::make_unique<pqxx::connection>(conninfo);
    pqxx::nontransaction(*connection).exec_params(session_settings_sql, connection->backendpid());
    return connection;
  } catch (const pqxx::broken_connection& error) {
    throw CommandError(ExitCode::database_unreachable, unreachable_text(url, error.what()));
  }
}

std::string unreachable_text(const std::string& url, std::string reason) {
  const size_t advice = reason.find("\n\t");  // "Is the server running", in a line of its own
  if (advice != std::string::npos) reason.replace(advice, 2, ". ");
  return fmt::format("database unreachable: {} ({})", reason, way_to_database(url, reason));
}

}  // namespace sluice
