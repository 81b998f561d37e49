// Files, in OpenAI's shape: uploads, which are stored while they come, lists, contents.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> upload_file(Services& services, ApiRequest request);
Co<HttpReply> list_files(Services& services, ApiRequest request);
Co<HttpReply> send_file(Services& services, ApiRequest request);

// Route::sql about the file that the path names: $1 its number, $2 the key's tenant.
Co<HttpReply> answer_about_file(Services& services, ApiRequest request);

}  // namespace sluice
