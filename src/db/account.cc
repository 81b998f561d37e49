#include "db/account.h"

#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sluice {

std::optional<Account> unprivileged_account() {
  if (geteuid() != 0) return std::nullopt;
  for (const char* name : {"postgres", "nobody"}) {
    if (const passwd* entry = getpwnam(name)) return Account{name, entry->pw_uid, entry->pw_gid};
  }
  return Account{"nobody", 65534, 65534};
}

std::string account_name(uid_t uid) {
  const passwd* entry = getpwuid(uid);
  return entry == nullptr ? "" : entry->pw_name;
}

bool become(const Account& account) {
  return setgroups(0, nullptr) == 0 && setgid(account.gid) == 0 && setuid(account.uid) == 0;
}

// Only a process that is the account sees all that may be in the way: modes, ACLs, mounts.
bool can_enter(const Account& account, const std::filesystem::path& directory) {
  const pid_t child = fork();
  if (child == 0) _exit(become(account) && access(directory.c_str(), X_OK) == 0 ? 0 : 1);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace sluice
