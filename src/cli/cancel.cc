#include <memory>

#include "cli/bulk.h"

namespace sluice {

Action configure_cancel(CommandSyntax syntax) {
  const auto options = std::make_shared<BulkOptions>();
  add_bulk_flags(syntax, *options, "the task; its status afterwards is printed",
                 "every unfinished task that meets all of these; prints how many", "submitted");
  return bulk_action(options, "cancel");
}

}  // namespace sluice
