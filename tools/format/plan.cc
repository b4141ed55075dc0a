#include "tools/format/plan.h"

#include <algorithm>

#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "schemas/records/user_scram_credential_record.h"
#include "tools/config/listeners.h"
#include "tools/config/text.h"

namespace hayward::tools {
namespace {

using Fault = std::unexpected<std::string>;
using core::MetadataVersion;

std::expected<std::map<std::string, std::int16_t>, std::string> parse_features(const std::vector<std::string>& arguments) {
  std::map<std::string, std::int16_t> levels;
  for (const auto& argument : arguments) {
    const auto equals = argument.find('=');
    const auto level = equals == std::string::npos ? std::nullopt : config::parse_integer(argument.substr(equals + 1));
    if (!level || *level < 0 || *level > INT16_MAX) return Fault("--feature: expected name=level, found \"" + argument + "\"");
    if (!levels.emplace(argument.substr(0, equals), static_cast<std::int16_t>(*level)).second)
      return Fault("--feature: expected each feature once, found " + argument.substr(0, equals) + " twice");
  }
  return levels;
}

std::expected<MetadataVersion, std::string> choose_version(const FormatArguments& arguments,
                                                           const std::map<std::string, std::int16_t>& levels, bool unstable) {
  const auto given = levels.find(std::string(core::metadata_version_feature));
  if (given != levels.end() && !arguments.release_version.empty())
    return Fault("expected --release-version or --feature metadata.version, found both");
  const MetadataVersion latest = core::latest_metadata_version(unstable);
  if (given == levels.end() && arguments.release_version.empty()) return latest;
  const auto version = given != levels.end() ? core::metadata_version_from_level(given->second)
                                             : core::metadata_version_from_name(arguments.release_version);
  if (!version || *version > latest || *version < core::minimum_metadata_version) {
    const std::string found = given != levels.end() ? std::to_string(given->second) : arguments.release_version;
    return Fault("metadata.version: expected a release from 3.3 to " + std::string(latest.name()) + ", found \"" + found + "\"");
  }
  return *version;
}

// kraft.version: 1 exactly when the voters are dynamic.
std::expected<std::int16_t, std::string> choose_kraft_version(const std::map<std::string, std::int16_t>& levels, bool dynamic) {
  const auto given = levels.find(std::string(core::kraft_version_feature));
  const std::int16_t wanted = dynamic ? 1 : 0;
  if (given == levels.end() || given->second == wanted) return wanted;
  if (dynamic) return Fault("kraft.version: expected 1, since controller.quorum.voters is not set, found " + std::to_string(given->second));
  return Fault("kraft.version: expected 0, since controller.quorum.voters is set, found " + std::to_string(given->second) +
               "; remove controller.quorum.voters and use --standalone for a dynamic quorum");
}

std::expected<void, std::string> choose_features(const std::map<std::string, std::int16_t>& levels, FormatPlan& plan) {
  for (const auto& [name, level] : levels) {
    const auto& known = core::known_features();
    if (name != core::metadata_version_feature && std::ranges::find(known, name, &core::FeatureInfo::name) == known.end())
      return Fault("--feature: expected a feature that Kafka 4.3 knows, found " + name);
  }
  plan.features[std::string(core::metadata_version_feature)] = plan.metadata_version.level;
  for (const auto& feature : core::known_features()) {
    if (feature.name == core::kraft_version_feature) continue;
    const auto given = levels.find(std::string(feature.name));
    const std::int16_t level = given != levels.end() ? given->second : core::default_feature_level(feature.name, plan.metadata_version);
    if (level < feature.min || level > feature.max)
      return Fault(std::string(feature.name) + ": expected a level from " + std::to_string(feature.min) + " to " +
                   std::to_string(feature.max) + ", found " + std::to_string(level));
    if (const auto needed = core::required_metadata_version(feature.name, level); needed && *needed > plan.metadata_version)
      return Fault(std::string(feature.name) + "=" + std::to_string(level) + ": expected metadata.version " +
                   std::string(needed->name()) + " or later, found " + std::string(plan.metadata_version.name()));
    if (level > 0) plan.features[std::string(feature.name)] = level;
  }
  return {};
}

// "id@host:port:directoryId"; the endpoint is stored under the first controller listener's name.
std::expected<core::Voter, std::string> parse_controller(const std::string& item, const std::string& listener) {
  const auto colon = item.rfind(':');
  const auto directory = colon == std::string::npos ? std::nullopt : Uuid::parse(std::string_view(item).substr(colon + 1));
  if (!directory || is_reserved(DirectoryId{*directory}))
    return Fault("--initial-controllers: expected id@host:port:directoryId, found \"" + item + "\"");
  auto voters = config::parse_voters("--initial-controllers", item.substr(0, colon), listener);
  if (!voters) return Fault(voters.error());
  core::Voter voter = voters->front();
  voter.directory = DirectoryId{*directory};
  return voter;
}

std::expected<void, std::string> read_initial_controllers(const FormatArguments& arguments, const config::ServerConfig& config,
                                                          FormatPlan& plan) {
  const std::string& listener = config.node.advertised[0].listener;
  for (const auto& item : config::split_list(arguments.initial_controllers)) {
    auto voter = parse_controller(item, listener);
    if (!voter) return Fault(voter.error());
    const auto same = [&](const core::Voter& v) { return v.id == voter->id || v.directory == voter->directory; };
    if (std::ranges::any_of(plan.voters, same))
      return Fault("--initial-controllers: expected each id and directory id once, found \"" + item + "\" again");
    if (voter->id == config.node.node_id) plan.metadata_directory_id = voter->directory;
    plan.voters.push_back(std::move(*voter));
  }
  std::ranges::sort(plan.voters, {}, &core::Voter::id);
  return {};
}

// Which of the three ways to begin a quorum; contradictions are refused with the reason.
std::expected<void, std::string> choose_voters(const FormatArguments& arguments, const config::ServerConfig& config,
                                               FormatPlan& plan) {
  const int ways = (arguments.standalone ? 1 : 0) + (arguments.initial_controllers.empty() ? 0 : 1) +
                   (arguments.no_initial_controllers ? 1 : 0);
  if (ways > 1) return Fault("expected one of --standalone, --initial-controllers, --no-initial-controllers, found several");
  if (!config.node.static_voters.empty()) {
    if (arguments.standalone || !arguments.initial_controllers.empty())
      return Fault("expected no --standalone or --initial-controllers beside controller.quorum.voters, found both; two voter sets "
                   "would make two quorums. Remove controller.quorum.voters for a dynamic quorum");
    return {};
  }
  if (ways == 0)
    return Fault("expected --standalone (this node alone), --initial-controllers (all of them) or --no-initial-controllers (it joins "
                 "an existing quorum), since controller.quorum.voters is not set; found none");
  if (!arguments.initial_controllers.empty()) return read_initial_controllers(arguments, config, plan);
  if (arguments.standalone) {
    core::Voter self{config.node.node_id, plan.metadata_directory_id, config.node.advertised};
    plan.voters.push_back(std::move(self));
  }
  return {};
}

std::expected<void, std::string> add_scram(const FormatArguments& arguments, FormatPlan& plan) {
  for (const auto& argument : arguments.scram) {
    auto credential = parse_scram(argument);
    if (!credential) return Fault(credential.error());
    plan.scram.push_back(std::move(*credential));
  }
  if (!plan.scram.empty() && !plan.metadata_version.scram())
    return Fault("--add-scram: expected metadata.version 3.5-IV2 or later, found " + std::string(plan.metadata_version.name()));
  return {};
}

template <class Record>
void add_frame(std::vector<Buffer>& frames, const Record& record) {
  records::append_frame(frames.emplace_back(), record, 0);
}

}  // namespace

std::vector<Buffer> FormatPlan::bootstrap_records() const {
  std::vector<Buffer> frames;
  const auto add_feature = [&](std::string_view name, std::int16_t level) {
    records::FeatureLevelRecord record;
    record.name = name;
    record.feature_level = level;
    add_frame(frames, record);
  };
  add_feature(core::metadata_version_feature, metadata_version.level);
  for (const auto& [name, level] : features)
    if (name != core::metadata_version_feature) add_feature(name, level);
  for (const auto& credential : scram) {
    records::UserScramCredentialRecord record;
    record.name = credential.name;
    record.mechanism = credential.mechanism;
    record.salt = credential.salt;
    record.stored_key = credential.stored_key;
    record.server_key = credential.server_key;
    record.iterations = credential.iterations;
    add_frame(frames, record);
  }
  return frames;
}

std::expected<FormatPlan, std::string> plan_format(const FormatArguments& arguments, const config::ServerConfig& config,
                                                   DirectoryId fresh_directory_id) {
  FormatPlan plan;
  plan.cluster_id = arguments.cluster_id;
  plan.metadata_directory_id = fresh_directory_id;
  if (plan.cluster_id.empty() || config::trim(plan.cluster_id) != plan.cluster_id)
    return Fault("-t: expected a cluster id (hayward random-uuid makes one), found \"" + plan.cluster_id + "\"");
  const auto levels = parse_features(arguments.features);
  if (!levels) return Fault(levels.error());
  const auto version = choose_version(arguments, *levels, config.node.unstable_feature_versions);
  if (!version) return Fault(version.error());
  plan.metadata_version = *version;
  const auto kraft_version = choose_kraft_version(*levels, config.node.static_voters.empty());
  if (!kraft_version) return Fault(kraft_version.error());
  plan.kraft_version = *kraft_version;
  for (const auto& step : {choose_features(*levels, plan), choose_voters(arguments, config, plan), add_scram(arguments, plan)})
    if (!step) return Fault(step.error());
  return plan;
}

}  // namespace hayward::tools
