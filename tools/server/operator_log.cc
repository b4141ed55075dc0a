#include "tools/server/operator_log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace hayward::tools {
namespace {
constexpr std::size_t waiting_lines = 1024;
}

OperatorLog::OperatorLog() {
  spdlog::init_thread_pool(waiting_lines, 1);
  auto logger = std::make_shared<spdlog::async_logger>("hayward", std::make_shared<spdlog::sinks::stdout_sink_mt>(),
                                                       spdlog::thread_pool(), spdlog::async_overflow_policy::overrun_oldest);
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %L %v");
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

OperatorLog::~OperatorLog() { spdlog::shutdown(); }

void OperatorLog::line(core::LogLine::Level level, const std::string& text) {
  switch (level) {
    case core::LogLine::Level::info: spdlog::info(text); break;
    case core::LogLine::Level::warn: spdlog::warn(text); break;
    case core::LogLine::Level::error: spdlog::error(text); break;
  }
}

}  // namespace hayward::tools
