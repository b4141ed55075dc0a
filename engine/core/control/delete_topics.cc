#include "engine/core/control/delete_topics.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/control/access.h"
#include "engine/core/control/api_fault.h"
#include "engine/core/image/image.h"
#include "engine/core/records.h"
#include "schemas/records/remove_topic_record.h"

namespace hayward::core {
namespace {

using Request = messages::DeleteTopicsRequest;
using Response = messages::DeleteTopicsResponse;
using Name = std::optional<std::string_view>;

ApiFault not_allowed() { return {ErrorCode::topic_authorization_failed, "The caller may not delete it"}; }

// One topic of the request, by name or by id.
struct Wanted {
  Name name;
  TopicId id;
};

std::vector<Wanted> wanted_topics(const Request& request) {
  std::vector<Wanted> wanted;
  for (std::string_view name : request.topic_names) wanted.push_back({name, {}});
  for (const auto& topic : request.topics) wanted.push_back({topic.name, topic.topic_id});
  return wanted;
}

class Deletion {
 public:
  Deletion(const HandlerContext& context, RecordList& records)
      : context_(context),
        records_(records),
        may_delete_all_(is_allowed_on_cluster(context, AclOperation::remove)) {}

  Response run(const std::vector<Wanted>& wanted) {
    for (const Wanted& topic : wanted) count(topic);
    for (const Wanted& topic : wanted) handle(topic);
    return response_;
  }

 private:
  static bool is_malformed(const Wanted& topic) { return topic.name.has_value() == !topic.id.is_zero(); }

  void count(const Wanted& topic) {
    if (is_malformed(topic)) return;
    if (topic.name) {
      ++times_named_[*topic.name];
    } else {
      ++times_by_id_[topic.id];
    }
  }

  void handle(const Wanted& topic) {
    if (is_malformed(topic)) {
      answer(topic.name, topic.id, {ErrorCode::invalid_request, "A topic is given either by its name or by its id"});
      return;
    }
    int& times = topic.name ? times_named_[*topic.name] : times_by_id_[topic.id];
    if (times > 1) {
      answer(topic.name, topic.id, {ErrorCode::invalid_request, "The topic is in the request twice"});
      times = answered;
    } else if (times == 1) {
      topic.name ? remove_by_name(*topic.name) : remove_by_id(topic.id);
    }
  }

  void remove_by_name(std::string_view name) {
    const Topic* topic = context_.image.topics().find(name);
    // Whether it exists is told only to those who may see it.
    if (!may(AclOperation::describe, name)) {
      answer(name, {}, not_allowed());
    } else if (topic == nullptr) {
      answer(name, {}, {ErrorCode::unknown_topic_or_partition, "There is no topic of that name"});
    } else if (!may(AclOperation::remove, name)) {
      answer(name, {}, not_allowed());
    } else if (times_by_id_.contains(topic->id)) {
      answer(name, topic->id, {ErrorCode::invalid_request, "The topic's id is in the request too"});
    } else {
      remove(*topic);
    }
  }

  void remove_by_id(TopicId id) {
    const Topic* topic = context_.image.topics().find(id);
    if (topic == nullptr) {
      answer(std::nullopt, id, {ErrorCode::unknown_topic_id, "There is no topic with that id"});
      return;
    }
    if (!may(AclOperation::remove, topic->name)) {
      answer(may(AclOperation::describe, topic->name) ? Name(topic->name) : std::nullopt, id, not_allowed());
      return;
    }
    const auto named = times_named_.find(topic->name);
    if (named != times_named_.end() && named->second == 1) return;  // answered, and refused, under its name
    remove(*topic);
  }

  bool may(AclOperation operation, std::string_view topic) const {
    return may_delete_all_ || is_allowed(context_, operation, ResourceType::topic, topic);
  }

  void remove(const Topic& topic) {
    if (auto why = charge_mutations(context_, topic.slots.size())) {
      answer(topic.name, topic.id, *why);
      return;
    }
    records::RemoveTopicRecord record;
    record.topic_id = topic.id;
    records_.add(record);
    answer(topic.name, topic.id, {});
  }

  void answer(Name name, TopicId id, const ApiFault& why) {
    auto& item = response_.responses.push_back(context_.arena);
    item.name = std::nullopt;
    if (name) item.name = context_.arena.copy(*name);
    item.topic_id = id;
    item.error_code = why.code;
    item.error_message = text_of(why, context_.arena);
  }

  static constexpr int answered = -1;  // instead of a count: the other occurrences get no item

  const HandlerContext& context_;
  RecordList& records_;
  bool may_delete_all_;
  Response response_;
  std::map<std::string_view, int> times_named_;
  std::map<TopicId, int> times_by_id_;
};

Response all_failed(const HandlerContext& context, const std::vector<Wanted>& wanted, ErrorCode code) {
  Response response;
  for (const Wanted& topic : wanted) {
    auto& item = response.responses.push_back(context.arena);
    item.name = topic.name;
    item.topic_id = topic.id;
    item.error_code = code;
    item.error_message = std::nullopt;
  }
  return response;
}

}  // namespace

Response delete_topics(const HandlerContext& context, const Request& request, RecordList& records) {
  const std::vector<Wanted> wanted = wanted_topics(request);
  if (!context.config.delete_topic_enable) {
    const bool says_so = context.request.api_version >= 3;
    return all_failed(context, wanted, says_so ? ErrorCode::topic_deletion_disabled : ErrorCode::invalid_request);
  }
  const std::size_t before = records.size();
  Response response = Deletion(context, records).run(wanted);
  if (records.size() - before > max_records_per_user_operation) {
    records.truncate(before);
    return all_failed(context, wanted, ErrorCode::policy_violation);
  }
  records.set_atomic();
  return response;
}

}  // namespace hayward::core
