#include "process_rights.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "command_error.h"

namespace sluice {
namespace {

void require(bool succeeded) {
  if (succeeded) return;
  throw CommandError(ExitCode::failure,
                     std::string("cannot give up capabilities: ") + std::strerror(errno));
}

// The capabilities that this process has now and may ever have.
__user_cap_data_struct held() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  require(syscall(SYS_capget, &header, sets.data()) == 0);
  return sets[CAP_TO_INDEX(CAP_DAC_OVERRIDE)];
}

}  // namespace

void hide_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  prctl(PR_SET_DUMPABLE, 0);
#endif
}

void drop_capabilities() {
  // To drop from the bounding set takes a capability itself; who lacks it has none to gain.
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    if (capability != CAP_DAC_OVERRIDE) prctl(PR_CAPBSET_DROP, capability);
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> kept{};
  const __u32 reach_others_files = CAP_TO_MASK(CAP_DAC_OVERRIDE);
  kept[CAP_TO_INDEX(CAP_DAC_OVERRIDE)].effective = held().effective & reach_others_files;
  kept[CAP_TO_INDEX(CAP_DAC_OVERRIDE)].permitted = held().permitted & reach_others_files;
  require(syscall(SYS_capset, &header, kept.data()) == 0);
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
}

}  // namespace sluice
