// The handlers of models, routes, tenants and settings: see docs/http.md. They change the same
// tables as plain SQL does, so workers follow within a second.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> list_models(Services& services, ApiRequest request);
Co<HttpReply> show_model(Services& services, ApiRequest request);
Co<HttpReply> replace_model(Services& services, ApiRequest request);
Co<HttpReply> change_model(Services& services, ApiRequest request);
Co<HttpReply> pause_model(Services& services, ApiRequest request);
Co<HttpReply> resume_model(Services& services, ApiRequest request);
Co<HttpReply> close_model(Services& services, ApiRequest request);
Co<HttpReply> delete_model(Services& services, ApiRequest request);
Co<HttpReply> list_routes(Services& services, ApiRequest request);
Co<HttpReply> show_route(Services& services, ApiRequest request);
Co<HttpReply> show_choice(Services& services, ApiRequest request);
Co<HttpReply> change_route(Services& services, ApiRequest request);
Co<HttpReply> replace_route(Services& services, ApiRequest request);
Co<HttpReply> delete_route(Services& services, ApiRequest request);
Co<HttpReply> list_tenants(Services& services, ApiRequest request);
Co<HttpReply> show_tenant(Services& services, ApiRequest request);
Co<HttpReply> replace_tenant(Services& services, ApiRequest request);
Co<HttpReply> change_tenant(Services& services, ApiRequest request);
Co<HttpReply> delete_tenant(Services& services, ApiRequest request);
Co<HttpReply> list_prices(Services& services, ApiRequest request);
Co<HttpReply> show_prices(Services& services, ApiRequest request);
Co<HttpReply> set_price(Services& services, ApiRequest request);
Co<HttpReply> list_fallbacks(Services& services, ApiRequest request);
Co<HttpReply> show_fallbacks(Services& services, ApiRequest request);
Co<HttpReply> replace_fallbacks(Services& services, ApiRequest request);
Co<HttpReply> list_budgets(Services& services, ApiRequest request);
Co<HttpReply> show_budget(Services& services, ApiRequest request);
Co<HttpReply> replace_budget(Services& services, ApiRequest request);
Co<HttpReply> change_budget(Services& services, ApiRequest request);
Co<HttpReply> delete_budget(Services& services, ApiRequest request);
Co<HttpReply> show_settings(Services& services, ApiRequest request);
Co<HttpReply> replace_settings(Services& services, ApiRequest request);
Co<HttpReply> change_settings(Services& services, ApiRequest request);

}  // namespace sluice
