#include "log/quorum_state.h"

#include <limits>
#include <utility>

#include <simdjson.h>

namespace hayward::log {
namespace {

std::unexpected<LogError> fault(const std::string& path, std::string expected, std::string found,
                                LogError::Kind kind = LogError::Kind::format) {
  return std::unexpected(LogError{kind, path, std::move(expected), std::move(found),
                                  "restore the file from a backup of this very node, never from another's"});
}

// An int32 field; `ok` falls if it is missing, no integer or out of range.
std::int32_t int_field(simdjson::dom::object object, const char* name, bool& ok) {
  std::int64_t value = 0;
  if (object[name].get(value) != simdjson::SUCCESS || value < std::numeric_limits<std::int32_t>::min() ||
      value > std::numeric_limits<std::int32_t>::max())
    ok = false;
  return static_cast<std::int32_t>(value);
}

// currentVoters: [{"voterId": 1}, ...] or null.
bool read_voters(simdjson::dom::object object, std::vector<NodeId>& voters) {
  simdjson::dom::element field;
  if (object["currentVoters"].get(field) != simdjson::SUCCESS) return false;
  if (field.is_null()) return true;
  simdjson::dom::array array;
  if (field.get(array) != simdjson::SUCCESS) return false;
  bool ok = true;
  for (const simdjson::dom::element item : array) {
    simdjson::dom::object voter;
    if (item.get(voter) != simdjson::SUCCESS) return false;
    voters.push_back(NodeId{int_field(voter, "voterId", ok)});
  }
  return ok;
}

bool read_voted_directory(simdjson::dom::object object, DirectoryId& directory) {
  std::string_view text;
  if (object["votedDirectoryId"].get(text) != simdjson::SUCCESS) return false;
  const auto uuid = Uuid::parse(text);
  if (uuid) directory = DirectoryId{*uuid};
  return uuid.has_value();
}

}  // namespace

Result<core::QuorumState> parse_quorum_state(std::string_view json, const std::string& path) {
  if (json.empty()) return fault(path, "one JSON object", "an empty file");  // the parser would copy from nullptr
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (const auto error = parser.parse(json.data(), json.size()).get(object); error != simdjson::SUCCESS)
    return fault(path, "one JSON object", simdjson::error_message(error));
  bool ok = true;
  const std::int32_t version = int_field(object, "data_version", ok);
  if (!ok) return fault(path, "a number data_version", "none");
  if (version != 0 && version != 1)
    return fault(path, "data_version 0 or 1", "data_version " + std::to_string(version), LogError::Kind::version);
  core::QuorumState state;
  state.kraft_version = static_cast<std::int16_t>(version);
  state.leader = NodeId{int_field(object, "leaderId", ok)};
  state.epoch = Epoch{int_field(object, "leaderEpoch", ok)};
  state.voted = NodeId{int_field(object, "votedId", ok)};
  if (!ok) return fault(path, "numbers leaderId, leaderEpoch and votedId", std::string(json));
  // In the last epoch nobody could ever be elected again, nor in any other controller's that hears of it.
  const bool possible = state.epoch >= Epoch{0} && state.epoch.value < std::numeric_limits<std::int32_t>::max() &&
                        state.leader >= no_node && state.voted >= no_node;
  if (!possible) return fault(path, "an epoch from 0 to 2147483646, ids of nodes or -1", std::string(json));
  if (version == 0 && !read_voters(object, state.voters))
    return fault(path, "currentVoters to be a list of {voterId}", std::string(json));
  if (version == 1 && !read_voted_directory(object, state.voted_directory))
    return fault(path, "votedDirectoryId to be a uuid", std::string(json));
  return state;
}

std::string render_quorum_state(const core::QuorumState& state) {
  std::string ids = "\"leaderId\":" + std::to_string(state.leader.value) +
                    ",\"leaderEpoch\":" + std::to_string(state.epoch.value) +
                    ",\"votedId\":" + std::to_string(state.voted.value);
  if (state.kraft_version != 0)
    return "{" + ids + ",\"votedDirectoryId\":\"" + state.voted_directory.to_string() + "\",\"data_version\":1}";
  std::string voters;
  for (const NodeId voter : state.voters)
    voters += (voters.empty() ? "{\"voterId\":" : ",{\"voterId\":") + std::to_string(voter.value) + "}";
  return "{\"clusterId\":\"\"," + ids + ",\"appliedOffset\":0,\"currentVoters\":[" + voters + "],\"data_version\":0}";
}

}  // namespace hayward::log
