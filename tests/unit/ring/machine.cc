#include "tests/unit/ring/machine.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace hayward::ring {

RealMachine::RealMachine(const RingOptions& options) {
  auto made = create_uring(options);
  if (!made) throw std::runtime_error(made.error().what);
  port_ = std::move(*made);
  std::string pattern = (std::filesystem::temp_directory_path() / "hayward-ring-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
  directory_ = pattern;
}

RealMachine::~RealMachine() {
  port_.reset();
  std::filesystem::remove_all(directory_);
}

SimMachine::SimMachine(const RingOptions& options) {
  disk_.put_directory("/data");
  port_.attach(network_, 1, options);
}

OnEveryPort::OnEveryPort(const RingOptions& options) {
  if (std::string_view(GetParam()) == "uring") {
    machine_ = std::make_unique<RealMachine>(options);
  } else {
    machine_ = std::make_unique<SimMachine>(options);
  }
}

}  // namespace hayward::ring
