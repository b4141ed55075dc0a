// See alter_client_quotas.h.
#include "engine/core/control/alter_client_quotas.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/control/api_fault.h"
#include "engine/core/control/ip_text.h"
#include "engine/core/image/image.h"
#include "schemas/records/client_quota_record.h"

namespace hayward::core {
namespace {

using Request = messages::AlterClientQuotasRequest;
using Response = messages::AlterClientQuotasResponse;
using Entry = Request::EntryData;

constexpr std::string_view user_type = "user";
constexpr std::string_view client_id_type = "client-id";
constexpr std::string_view ip_type = "ip";

enum class QuotaType : std::uint8_t { int32, int64, number };
struct QuotaKey {
  std::string_view name;
  QuotaType type;
};
constexpr QuotaKey user_and_client_keys[] = {{"producer_byte_rate", QuotaType::int64},
                                             {"consumer_byte_rate", QuotaType::int64},
                                             {"request_percentage", QuotaType::number},
                                             {"controller_mutation_rate", QuotaType::number}};
constexpr QuotaKey ip_keys[] = {{"connection_creation_rate", QuotaType::int32}};

ApiFault invalid(std::string text) { return {ErrorCode::invalid_request, std::move(text)}; }

// Of an entity type listed twice the last name counts.
QuotaEntity entity_of(const Entry& entry) {
  QuotaEntity entity;
  for (const auto& part : entry.entity) {
    std::optional<std::string> name;
    if (part.entity_name) name = std::string(*part.entity_name);
    entity[std::string(part.entity_type)] = std::move(name);
  }
  return entity;
}

std::optional<ApiFault> check_entity(const QuotaEntity& entity) {
  if (entity.empty()) return invalid("The entity is empty");
  for (const auto& [type, name] : entity) {
    if (type != user_type && type != client_id_type && type != ip_type) return invalid("Unknown entity type " + type);
    if (name && name->empty()) return invalid("The name of the " + type + " is empty");
  }
  const auto ip = entity.find(std::string(ip_type));
  if (ip == entity.end()) return std::nullopt;
  if (entity.size() > 1) return invalid("An ip stands alone, not beside user or client-id");
  if (ip->second && *ip->second != "localhost" && !is_ip_address(*ip->second)) {
    return invalid(*ip->second + " is not an IP address");
  }
  return std::nullopt;
}

std::optional<ApiFault> check_value(std::span<const QuotaKey> keys, std::string_view name, double value) {
  const auto key = std::ranges::find(keys, name, &QuotaKey::name);
  const std::string text(name);
  if (key == keys.end()) return invalid("The entity has no quota " + text);
  if (value <= 0.0) return invalid(text + " must be greater than 0");
  if (key->type == QuotaType::number) return std::nullopt;
  const double most = key->type == QuotaType::int32 ? 2147483647.0 : 9223372036854775807.0;
  if (value > most) return invalid(text + " is too large");
  constexpr double rounding = 1e-6;
  if (std::fabs(std::fmod(value, 1.0)) > rounding) return invalid(text + " must be a whole number");
  return std::nullopt;
}

// As Java's Double.equals: NaN is the same as NaN.
bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

class Alteration {
 public:
  Alteration(const HandlerContext& context, RecordList& records) : context_(context), records_(records) {}

  void take(const Entry& entry) {
    const QuotaEntity entity = entity_of(entry);
    const auto [result, first] = results_.try_emplace(entity);
    if (first) order_.push_back(&*result);
    std::map<std::string_view, std::optional<double>> changes;  // nullopt: remove
    for (const auto& op : entry.ops) {
      if (changes.contains(op.key)) {
        result->second = invalid("The quota " + std::string(op.key) + " is listed twice");
        return;
      }
      changes.emplace(op.key, op.remove ? std::nullopt : std::optional(op.value));
    }
    result->second = first ? change(entity, changes) : invalid("The entity is in the request twice");
  }

  Response response() const {
    Response response;
    for (const auto* result : order_) {
      auto& entry = response.entries.push_back(context_.arena);
      entry.error_code = result->second.code;
      entry.error_message = text_of(result->second, context_.arena);
      for (const auto& [type, name] : result->first) {
        auto& part = entry.entity.push_back(context_.arena);
        part.entity_type = context_.arena.copy(type);
        part.entity_name = std::nullopt;
        if (name) part.entity_name = context_.arena.copy(*name);
      }
    }
    return response;
  }

 private:
  using Results = std::map<QuotaEntity, ApiFault>;

  ApiFault change(const QuotaEntity& entity, const std::map<std::string_view, std::optional<double>>& changes) {
    if (auto fault = check_entity(entity)) return *fault;
    const bool is_ip = entity.contains(std::string(ip_type));
    const std::span<const QuotaKey> keys = is_ip ? std::span<const QuotaKey>(ip_keys) : user_and_client_keys;
    for (const auto& [key, value] : changes) {
      if (!value) continue;
      if (auto fault = check_value(keys, key, *value)) return *fault;
    }
    const QuotaMap& present = context_.image.client_quotas().of(entity);
    for (const auto& [key, value] : changes) {
      const auto at = present.find(key);
      const bool changed = value ? at == present.end() || !is_same(at->second, *value) : at != present.end();
      if (changed) add_record(entity, key, value);
    }
    return {};
  }

  void add_record(const QuotaEntity& entity, std::string_view key, std::optional<double> value) {
    records::ClientQuotaRecord record;
    for (const auto& [type, name] : entity) {
      auto& part = record.entity.push_back(context_.arena);
      part.entity_type = type;
      part.entity_name = std::nullopt;
      if (name) part.entity_name = *name;
    }
    record.key = key;
    record.value = value.value_or(0.0);
    record.remove = !value;
    records_.add(record);
  }

  const HandlerContext& context_;
  RecordList& records_;
  Results results_;
  std::vector<const Results::value_type*> order_;
};

}  // namespace

Response alter_client_quotas(const HandlerContext& context, const Request& request, RecordList& records) {
  Alteration alteration(context, records);
  for (const Entry& entry : request.entries) alteration.take(entry);
  records.set_atomic();
  if (request.validate_only && records.size() <= max_records_per_user_operation) records.truncate(0);
  return alteration.response();
}

}  // namespace hayward::core
