// The common part of cancel, redrive and forget: one task by its id, or with --all every task that
// meets conditions. SQL checks the values and does the work; a call that would accidentally mean
// all tasks is refused here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/syntax.h"

namespace sluice {

struct BulkOptions {
  std::optional<int64_t> id;
  bool all = false;
  bool everything = false;  // --all without a condition is meant

  // Conditions of --all; a task must meet every one that is given.
  std::optional<std::string> model;
  std::optional<std::string> tenant;
  std::optional<std::string> metadata;
  std::optional<int64_t> batch_id;
  std::optional<std::string> since;  // a timestamp, or a duration: so long ago
  std::optional<std::string> until;
  std::optional<std::string> error_like;
  std::optional<std::string> error_code;
};

// `id_help`, `all_help`: of ID and of --all. `when`: what --since and --until are about, such as
// "finished".
void add_bulk_flags(CommandSyntax syntax, BulkOptions& options, const char* id_help,
                    const char* all_help, const char* when);
void add_error_flags(CommandSyntax syntax, BulkOptions& options);

// The conditions among them, as add_bulk_flags says them. All come from the command line alone: a
// variable that a shell has for something else must neither widen nor narrow the selection.
void add_condition_flags(CommandSyntax syntax, BulkOptions& options, const char* when);

// --status: the state of the tasks that are listed.
void add_status_flag(CommandSyntax syntax, std::optional<std::string>& status);

// "2h" is two hours ago; anything else is PostgreSQL's to read.
std::string moment(pqxx::nontransaction& session, const std::string& text);
std::optional<std::string> moment(pqxx::nontransaction& session,
                                  const std::optional<std::string>& text);

// Throws CommandError(usage) unless it is one id, or --all with either conditions or --everything.
void check_bulk_usage(const BulkOptions& options, const char* command);

// The action of sluice.COMMAND(id) or, with --all, sluice.COMMAND_all(…): prints what it returns.
Action bulk_action(const std::shared_ptr<BulkOptions>& options, const char* command);

// Calls sluice.FUNCTION(id) in a transaction of its own: what it returns.
std::string call_one(pqxx::connection& connection, const char* function, int64_t id);

// The arguments of a function of many tasks. Durations are counted from now, by the database's
// clock.
struct BulkArguments {
  std::string sql;  // "model => $1::text, …": of those that are given
  std::vector<std::string> values;
};
BulkArguments bulk_arguments(pqxx::connection& connection, const BulkOptions& options);

// Calls sluice.FUNCTION(…) in a transaction of its own: how many tasks it concerned.
int64_t call_bulk(pqxx::connection& connection, const std::string& function,
                  const BulkArguments& arguments);

}  // namespace sluice
