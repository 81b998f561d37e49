// The system account that PostgreSQL runs under, because PostgreSQL refuses root. It names the
// account and what it can reach; it does not start anything.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

namespace sluice {

struct Account {
  std::string name;
  uid_t uid;
  gid_t gid;
};

// As root: `postgres`, else `nobody`. nullopt: we are not root and stay who we are.
std::optional<Account> unprivileged_account();

// Empty: the system knows none.
std::string account_name(uid_t uid);

// Becomes the account for good. Only between fork and exec; false on failure.
bool become(const Account& account);

// Whether the account could enter the directory.
bool can_enter(const Account& account, const std::filesystem::path& directory);

}  // namespace sluice
