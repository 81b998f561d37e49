#include <memory>

#include "cli/bulk.h"

namespace sluice {

Action configure_redrive(CommandSyntax syntax) {
  const auto options = std::make_shared<BulkOptions>();
  add_bulk_flags(syntax, *options,
                 "a task that failed, expired or was cancelled; its id is printed",
                 "every dead letter that meets all of these; prints how many", "failed");
  add_error_flags(syntax, *options);
  return bulk_action(options, "redrive");
}

}  // namespace sluice
