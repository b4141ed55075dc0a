// See alter_user_scram_credentials.h.
#include "engine/core/control/alter_user_scram_credentials.h"

#include <map>
#include <optional>
#include <string_view>

#include "engine/base/hmac.h"
#include "engine/core/control/api_fault.h"
#include "engine/core/image/image.h"
#include "schemas/records/remove_user_scram_credential_record.h"
#include "schemas/records/user_scram_credential_record.h"

namespace hayward::core {
namespace {

using Request = messages::AlterUserScramCredentialsRequest;
using Response = messages::AlterUserScramCredentialsResponse;
using Deletion = Request::ScramCredentialDeletion;
using Upsertion = Request::ScramCredentialUpsertion;

constexpr std::int8_t sha_256 = 1;
constexpr std::int8_t sha_512 = 2;
constexpr std::int32_t min_iterations = 4096;
constexpr std::int32_t max_iterations = 16384;

ApiFault unacceptable(std::string text) { return {ErrorCode::unacceptable_credential, std::move(text)}; }

// What the request asks of each user, and why some of it is refused.
class Alterations {
 public:
  explicit Alterations(const HandlerContext& context) : context_(context) {}

  void add(const Deletion& deletion) {
    add(deletion.name, [&](Change& change) { change.deletion = &deletion; }, check(deletion));
  }
  void add(const Upsertion& upsertion) {
    add(upsertion.name, [&](Change& change) { change.upsertion = &upsertion; }, check(upsertion));
  }

  Response carry_out(RecordList& records) {
    Response response;
    for (const auto& [user, change] : changes_) {
      if (change.deletion != nullptr) remove(*change.deletion, records);
    }
    for (auto& [user, change] : changes_) {
      if (change.upsertion != nullptr) change.fault = set(*change.upsertion, records);
    }
    for (const auto& [user, change] : changes_) {
      if (!change.fault) answer(user, {}, response);
    }
    for (const auto& [user, change] : changes_) {
      if (change.fault) answer(user, *change.fault, response);
    }
    return response;
  }

 private:
  struct Change {
    const Deletion* deletion = nullptr;
    const Upsertion* upsertion = nullptr;
    std::optional<ApiFault> fault{};
  };

  // The first fault of a user counts; a second mention of one without fault is one.
  template <class Set>
  void add(std::string_view user, Set&& set, std::optional<ApiFault> fault) {
    const auto [at, first] = changes_.try_emplace(user);
    Change& change = at->second;
    if (change.fault) return;
    if (!first) {
      change = {};
      change.fault = {ErrorCode::duplicate_resource, "A user's credentials can be altered once in a request"};
    } else if (fault) {
      change.fault = std::move(fault);
    } else {
      set(change);
    }
  }

  std::optional<ApiFault> check(std::string_view user, std::int8_t mechanism) const {
    const auto version = context_.image.features().metadata_version();
    if (!version || !version->scram()) {
      return ApiFault{ErrorCode::unsupported_version, "The metadata.version is too low for SCRAM"};
    }
    if (user.empty()) return unacceptable("The user's name is empty");
    if (mechanism != sha_256 && mechanism != sha_512) {
      return ApiFault{ErrorCode::unsupported_sasl_mechanism, "Unknown SCRAM mechanism"};
    }
    return std::nullopt;
  }
  std::optional<ApiFault> check(const Deletion& deletion) const {
    if (auto fault = check(deletion.name, deletion.mechanism)) return fault;
    if (context_.image.scram().find(deletion.name, deletion.mechanism) != nullptr) return std::nullopt;
    return ApiFault{ErrorCode::resource_not_found, "The user has no such credential"};
  }
  std::optional<ApiFault> check(const Upsertion& upsertion) const {
    if (auto fault = check(upsertion.name, upsertion.mechanism)) return fault;
    if (upsertion.iterations < min_iterations) return unacceptable("Too few iterations");
    if (upsertion.iterations > max_iterations) return unacceptable("Too many iterations");
    return std::nullopt;
  }

  static void remove(const Deletion& deletion, RecordList& records) {
    records::RemoveUserScramCredentialRecord record;
    record.name = deletion.name;
    record.mechanism = deletion.mechanism;
    records.add(record);
  }

  // RFC 5802: StoredKey and ServerKey come from the salted password, which is not kept.
  static std::optional<ApiFault> set(const Upsertion& upsertion, RecordList& records) {
    if (upsertion.salted_password.empty()) return ApiFault{ErrorCode::unknown_server_error, std::nullopt};
    const Hash hash = upsertion.mechanism == sha_256 ? Hash::sha256 : Hash::sha512;
    const Buffer client_key = hmac_of(hash, upsertion.salted_password, as_bytes("Client Key"));
    const Buffer stored_key = hash_of(hash, client_key);
    const Buffer server_key = hmac_of(hash, upsertion.salted_password, as_bytes("Server Key"));
    records::UserScramCredentialRecord record;
    record.name = upsertion.name;
    record.mechanism = upsertion.mechanism;
    record.salt = upsertion.salt;
    record.stored_key = stored_key;
    record.server_key = server_key;
    record.iterations = upsertion.iterations;
    records.add(record);
    return std::nullopt;
  }

  void answer(std::string_view user, const ApiFault& fault, Response& response) const {
    auto& result = response.results.push_back(context_.arena);
    result.user = user;
    result.error_code = fault.code;
    result.error_message = text_of(fault, context_.arena);
  }

  const HandlerContext& context_;
  std::map<std::string_view, Change> changes_;
};

}  // namespace

Response alter_user_scram_credentials(const HandlerContext& context, const Request& request, RecordList& records) {
  Alterations alterations(context);
  for (const Deletion& deletion : request.deletions) alterations.add(deletion);
  for (const Upsertion& upsertion : request.upsertions) alterations.add(upsertion);
  Response response = alterations.carry_out(records);
  records.set_atomic();
  return response;
}

}  // namespace hayward::core
