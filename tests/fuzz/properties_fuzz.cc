// Arbitrary text to the reader of properties and to the checks of server.properties.
// links: hayward_config
#include <cstdint>
#include <string_view>

#include "tools/config/server_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto properties = hayward::parse_properties({reinterpret_cast<const char*>(data), size});
  if (properties) (void)hayward::config::read_server_config(*properties);
  return 0;
}
