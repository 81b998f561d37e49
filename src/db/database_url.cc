#include "db/database_url.h"

#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <pqxx/pqxx>
#include <string_view>

#include "command_error.h"

namespace sluice {
namespace {

using ConninfoOptions = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

// libpq's own message quotes the text it could not read, password and all: never shown.
[[noreturn]] void throw_malformed() {
  throw CommandError(ExitCode::database_unreachable,
                     "the database URL is malformed (not shown: it may hold a password); expected "
                     "postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters in the "
                     "password percent-encoded, or key=value pairs");
}

std::string_view value_of(const PQconninfoOption* options, std::string_view keyword) {
  for (const auto* option = options; option->keyword != nullptr; ++option) {
    if (keyword == option->keyword && option->val != nullptr) return option->val;
  }
  return {};
}

// An unescaped '@', '/' or ':' in a password makes libpq take the rest of the password for a host,
// a port or a database, and its connection errors would then print it.
bool holds_password_rest(const PQconninfoOption* options) {
  const auto has_at = [&](std::string_view keyword) {
    return value_of(options, keyword).find('@') != std::string_view::npos;
  };
  const std::string_view port = value_of(options, "port");
  const bool odd_port = !std::all_of(port.begin(), port.end(),
                                     [](char c) { return (c >= '0' && c <= '9') || c == ','; });
  const bool is_socket = value_of(options, "host").starts_with('/');
  return (has_at("host") && !is_socket) || has_at("dbname") || odd_port;
}

// Of several servers all but one are standbys, where nothing can be done; `any` has to be said.
bool wants_writable_server(const PQconninfoOption* options) {
  const auto says = [options](const char* keyword, const char* variable) {
    const std::string_view value = value_of(options, keyword);
    const char* setting = std::getenv(variable);
    return value.empty() && setting != nullptr ? std::string_view(setting) : value;
  };
  const bool has_several = says("host", "PGHOST").find(',') != std::string_view::npos ||
                           says("hostaddr", "PGHOSTADDR").find(',') != std::string_view::npos;
  return has_several && says("target_session_attrs", "PGTARGETSESSIONATTRS").empty();
}

void append(std::string& conninfo, std::string_view keyword, std::string_view value) {
  conninfo.append(keyword).append("='");
  for (const char c : value) {
    if (c == '\'' || c == '\\') conninfo += '\\';
    conninfo += c;
  }
  conninfo += "' ";
}

}  // namespace

std::string conninfo_of(const std::string& url) {
  const ConninfoOptions options(PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree);
  if (!options || holds_password_rest(options.get())) throw_malformed();
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
  if (wants_writable_server(options.get())) append(conninfo, "target_session_attrs", "read-write");
  if (!has_timeout) append(conninfo, "connect_timeout", std::to_string(connect_timeout_s));
  return conninfo;
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
    return std::make_unique<pqxx::connection>(conninfo);
  } catch (const pqxx::broken_connection& error) {
    std::error_code ignored;
    const bool is_up_here = url.empty() && std::filesystem::exists("./sluice-data/env", ignored);
    throw CommandError(
        ExitCode::database_unreachable,
        "database unreachable: " + std::string(error.what()) +
            (is_up_here ? " (`. ./sluice-data/env` names the database of `sluice up` here)"
                        : " (set by --database-url, SLUICE_DATABASE_URL, DATABASE_URL or "
                          "PG*)"));
  }
}

}  // namespace sluice
