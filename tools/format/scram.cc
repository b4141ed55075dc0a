#include "tools/format/scram.h"

#include <map>
#include <optional>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "schemas/runtime/assert.h"
#include "tools/config/text.h"

namespace hayward::tools {
namespace {

constexpr std::int64_t min_iterations = 4096;
constexpr std::int64_t max_iterations = 16384;
constexpr std::size_t salt_bytes = 32;

using Components = std::map<std::string, std::string>;

std::unexpected<std::string> fault(std::string_view expected, std::string_view found) {
  return std::unexpected("--add-scram: expected " + std::string(expected) + ", found \"" + std::string(found) + "\"");
}

std::expected<Components, std::string> parse_components(std::string_view list) {
  Components components;
  for (const auto& item : config::split_list(list)) {
    const auto equals = item.find('=');
    if (equals == std::string::npos) return fault("name=value in the brackets", item);
    std::string value = item.substr(equals + 1);
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) value = value.substr(1, value.size() - 2);
    components[item.substr(0, equals)] = value;
  }
  return components;
}

std::optional<std::string> take(Components& components, const std::string& key) {
  auto node = components.extract(key);
  return node.empty() ? std::nullopt : std::optional(std::move(node.mapped()));
}

std::expected<Buffer, std::string> decode_base64(const std::string& key, const std::string& text) {
  Buffer bytes(text.size() / 4 * 3 + 3);
  const int decoded = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                      reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (text.empty() || text.size() % 4 != 0 || decoded < 0) return fault("base64 after " + key + "=", text);
  const auto padding = text.ends_with("==") ? 2u : text.ends_with("=") ? 1u : 0u;
  bytes.resize(static_cast<std::size_t>(decoded) - padding);
  return bytes;
}

const EVP_MD* digest(std::int8_t mechanism) { return mechanism == 1 ? EVP_sha256() : EVP_sha512(); }
std::size_t digest_bytes(std::int8_t mechanism) { return mechanism == 1 ? 32 : 64; }
const unsigned char* raw(const Buffer& bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
unsigned char* raw(Buffer& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

// RFC 5802's Hi().
Buffer salted_password(const ScramCredential& c, const std::string& password) {
  Buffer out(digest_bytes(c.mechanism));
  const int ok = PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), raw(c.salt),
                                   static_cast<int>(c.salt.size()), c.iterations, digest(c.mechanism),
                                   static_cast<int>(out.size()), raw(out));
  HAYWARD_ASSERT(ok == 1, "PBKDF2");
  return out;
}

Buffer keyed(std::int8_t mechanism, const Buffer& key, std::string_view text) {
  Buffer out(digest_bytes(mechanism));
  unsigned length = 0;
  HMAC(digest(mechanism), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), raw(out), &length);
  return out;
}

void derive_keys(ScramCredential& c, const Buffer& salted) {
  const Buffer client_key = keyed(c.mechanism, salted, "Client Key");
  c.server_key = keyed(c.mechanism, salted, "Server Key");
  c.stored_key.resize(digest_bytes(c.mechanism));
  EVP_Digest(client_key.data(), client_key.size(), raw(c.stored_key), nullptr, digest(c.mechanism), nullptr);
}

// Everything but the keys; `salted` and `password` are what was given.
std::expected<void, std::string> read_components(Components& components, ScramCredential& c) {
  const auto name = take(components, "name");
  if (!name || name->empty()) return fault("name=USER in the brackets", "none");
  c.name = *name;
  if (const auto iterations = take(components, "iterations")) {
    const auto parsed = config::parse_integer(*iterations);
    if (!parsed || *parsed < min_iterations || *parsed > max_iterations) return fault("iterations from 4096 to 16384", *iterations);
    c.iterations = static_cast<std::int32_t>(*parsed);
  }
  if (const auto salt = take(components, "salt")) {
    auto bytes = decode_base64("salt", *salt);
    if (!bytes) return std::unexpected(bytes.error());
    c.salt = std::move(*bytes);
  }
  return {};
}

std::expected<ScramCredential, std::string> make_credential(std::int8_t mechanism, Components components) {
  ScramCredential c;
  c.mechanism = mechanism;
  if (auto read = read_components(components, c); !read) return std::unexpected(read.error());
  const auto password = take(components, "password");
  const auto salted = take(components, "saltedpassword");
  if (!components.empty()) return fault("name, password, saltedpassword, salt, iterations", components.begin()->first);
  if (!password && !salted) return fault("password=... or saltedpassword=...", "neither");
  if (!password && c.salt.empty()) return fault("salt=... beside saltedpassword", "none");
  if (c.salt.empty()) {
    c.salt.resize(salt_bytes);
    HAYWARD_ASSERT(RAND_bytes(raw(c.salt), salt_bytes) == 1, "random salt");
  }
  if (password) {
    derive_keys(c, salted_password(c, *password));
    return c;
  }
  const auto given = decode_base64("saltedpassword", *salted);
  if (!given) return std::unexpected(given.error());
  derive_keys(c, *given);
  return c;
}

}  // namespace

std::expected<ScramCredential, std::string> parse_scram(std::string_view argument) {
  constexpr std::string_view form = "SCRAM-SHA-256=[...] or SCRAM-SHA-512=[...]";
  argument = config::trim(argument);
  const auto equals = argument.find('=');
  const std::string_view mechanism = argument.substr(0, equals);
  std::string_view list = equals == std::string_view::npos ? "" : argument.substr(equals + 1);
  if ((mechanism != "SCRAM-SHA-256" && mechanism != "SCRAM-SHA-512") || !list.starts_with('[') || !list.ends_with(']'))
    return fault(form, argument);
  auto components = parse_components(list.substr(1, list.size() - 2));
  if (!components) return std::unexpected(components.error());
  return make_credential(mechanism == "SCRAM-SHA-256" ? 1 : 2, std::move(*components));
}

}  // namespace hayward::tools
