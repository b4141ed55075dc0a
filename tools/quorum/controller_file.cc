// Reads what is to be added from a controller's own files (change.h: read_controller), as kafka-metadata-quorum does. Only the
// keys that matter here are looked at, so that any Java controller's file will do.
// Owner: `hayward quorum`. The main thread.
#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "log/meta_properties.h"
#include "log/names.h"
#include "tools/config/listeners.h"
#include "tools/config/server_config.h"
#include "tools/quorum/change.h"

namespace hayward::tools {
namespace {

std::string first_of(std::string_view list) {
  list = list.substr(0, list.find(','));
  while (!list.empty() && list.front() == ' ') list.remove_prefix(1);
  while (!list.empty() && list.back() == ' ') list.remove_suffix(1);
  return std::string(list);
}

std::string value(const Properties& properties, std::string_view key) {
  const auto at = properties.find(std::string(key));
  return at == properties.end() ? std::string() : at->second;
}

std::string metadata_directory(const Properties& properties) {
  for (const std::string_view key : {"metadata.log.dir", "log.dirs", "log.dir"})
    if (const std::string dir = first_of(value(properties, key)); !dir.empty()) return dir;
  return "/tmp/kafka-logs";
}

std::expected<std::vector<core::Endpoint>, std::string> controller_listeners(const Properties& properties, const std::string& path) {
  const std::string key = value(properties, "advertised.listeners").empty() ? "listeners" : "advertised.listeners";
  const auto all = config::parse_listeners(key, value(properties, key));
  if (!all) return std::unexpected(path + ": " + all.error());
  const std::string names = "," + value(properties, "controller.listener.names") + ",";
  std::vector<core::Endpoint> found;
  for (const auto& endpoint : *all)
    if (names.find("," + endpoint.listener + ",") != std::string::npos) found.push_back(endpoint);
  if (found.empty()) return std::unexpected(fmt::format("{}: {}: expected one of controller.listener.names, found \"{}\"", path, key, value(properties, key)));
  if (found[0].host.empty() || found[0].host == "0.0.0.0") {
    return std::unexpected(fmt::format("{}: {}: expected a host that the other controllers reach, found \"{}\": set advertised.listeners", path, key,
                                       found[0].host));
  }
  return found;
}

}  // namespace

std::expected<core::Voter, std::string> read_controller(const std::string& config_path) {
  const auto properties = config::load_properties(config_path, {});
  if (!properties) return std::unexpected(properties.error().empty() ? config_path : properties.error()[0]);
  core::Voter voter;
  const std::string id = value(*properties, "node.id");
  std::int32_t number = -1;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc{} || end != id.data() + id.size() || number < 0) {
    return std::unexpected(fmt::format("{}: node.id: expected a number, found \"{}\"", config_path, id));
  }
  voter.id = NodeId{number};
  auto listeners = controller_listeners(*properties, config_path);
  if (!listeners) return std::unexpected(listeners.error());
  voter.endpoints = std::move(*listeners);
  const std::string meta_path = metadata_directory(*properties) + "/" + std::string(log::meta_properties_name);
  std::ifstream file(meta_path);
  if (!file) return std::unexpected(meta_path + ": expected the file of a formatted directory, found none that can be read (run this where the "
                                                "new controller's directory is, or give --id, --directory-id and --endpoint)");
  std::ostringstream text;
  text << file.rdbuf();
  const auto meta = log::parse_meta_properties(text.str(), meta_path);
  if (!meta) return std::unexpected(meta.error().to_line());
  if (meta->node_id != voter.id) {
    return std::unexpected(fmt::format("{}: node.id: expected {} as in {}, found {}", meta_path, voter.id.value, config_path,
                                       meta->node_id ? fmt::format("{}", meta->node_id->value) : "none"));
  }
  if (!meta->directory_id) return std::unexpected(meta_path + ": expected a directory.id, found none (start the controller once)");
  voter.directory = *meta->directory_id;
  return voter;
}

}  // namespace hayward::tools
