// `format --add-scram`: a SCRAM credential as kafka-storage takes it, made into its record.
// Owner: tools. The main thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/runtime/bytes.h"

namespace hayward::tools {

struct ScramCredential {
  std::string name;
  std::int8_t mechanism = 0;  // 1 SCRAM-SHA-256, 2 SCRAM-SHA-512
  std::int32_t iterations = 4096;
  Buffer salt, stored_key, server_key;
};

// "SCRAM-SHA-256=[name=alice,password=secret]" with optional iterations (4096..16384), salt and saltedpassword (base64;
// saltedpassword needs salt and stands instead of password). Without a salt one is drawn from the kernel.
// The error says what was expected and found.
std::expected<ScramCredential, std::string> parse_scram(std::string_view argument);

}  // namespace hayward::tools
