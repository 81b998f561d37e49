// How metrics are declared: each family of a registry by its name and by what it tells. Nothing
// else. For .cc files alone: prometheus-cpp's headers are large.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>

namespace sluice {

inline prometheus::Family<prometheus::Counter>& counters(prometheus::Registry& registry,
                                                         const std::string& name,
                                                         const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

inline prometheus::Family<prometheus::Gauge>& gauges(prometheus::Registry& registry,
                                                     const std::string& name,
                                                     const std::string& help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

inline prometheus::Family<prometheus::Histogram>& histograms(prometheus::Registry& registry,
                                                             const std::string& name,
                                                             const std::string& help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

}  // namespace sluice
