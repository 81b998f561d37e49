// Settings are the key=value arguments of `sluice model|route|tenant set`: columns of one row of
// configuration. PostgreSQL checks the values, and its refusals are put into words.
//
// Blocking; throws CommandError, and what libpqxx throws when the database itself fails.
#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/syntax.h"

namespace sluice {

struct Setting {
  std::string column;
  std::string value;
  bool is_null = false;  // given as "null"
};

// `owner` is what has the settings, for people: "a model". Beside `columns` there is reason=: why,
// for the revision of the change. Throws CommandError(usage): not key=value, a key that is none of
// these, or one twice.
std::vector<Setting> parse_settings(const std::vector<std::string>& texts, std::string_view owner,
                                    std::span<const std::string_view> columns);
bool has_setting(const std::vector<Setting>& settings, std::string_view column);

// --reason of a command that changes something.
void add_reason(CommandSyntax syntax, std::optional<std::string>& reason);
// Says why for the revisions of what the transaction changes from now on; nullopt: nothing.
void give_reason(pqxx::work& transaction, const std::optional<std::string>& reason);

// Table and columns are ours, never a user's; the values travel as parameters. `key` names the row.
// Not INSERT … ON CONFLICT: a trigger of models would make a second queue before the conflict is
// noticed. False: there is no such row.
bool update_row(pqxx::work& transaction, const std::string& table, const std::vector<Setting>& key,
                const std::vector<Setting>& settings);
void insert_row(pqxx::work& transaction, const std::string& table, std::vector<Setting> key,
                const std::vector<Setting>& settings);
// How many rows there were.
size_t delete_rows(pqxx::work& transaction, const std::string& table,
                   const std::vector<Setting>& key);

}  // namespace sluice
