// CLI11's headers throw, so this file is compiled with exceptions. No function that it calls throws.
#include "app/lanescope/OptionTable.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace lanescope::app {

namespace {

using Json = nlohmann::ordered_json;

/// The choices in a text such as "TEXT:{auto,gpu,emulator}".
Json choicesOf(const std::string &type) {
  Json choices = Json::array();
  size_t begin = type.find('{'), end = type.find('}', begin);
  if (begin == type.npos || end == type.npos)
    return choices;
  std::string word;
  std::istringstream words(type.substr(begin + 1, end - begin - 1));
  while (std::getline(words, word, ','))
    choices.push_back(word);
  return choices;
}

Json optionJson(const CLI::Option &option) {
  Json names = Json::array();
  for (const std::string &name : option.get_snames())
    names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    names.push_back("--" + name);
  std::string type = option.get_type_name();
  bool flag = option.get_items_expected_max() == 0;
  return {{"names", names},
          {"argument", flag                      ? ""
                       : option.get_positional() ? option.get_name(true)
                                                 : type.substr(0, type.find(':'))},
          {"choices", choicesOf(type)},
          {"default", option.get_default_str()},
          {"description", option.get_description()},
          {"required", option.get_required()},
          {"several", option.get_expected_max() > 1}};
}

Json commandJson(const CLI::App &command) {
  Json options = Json::array(), commands = Json::array();
  for (const CLI::Option *option : command.get_options())
    if (!option->get_group().empty()) // hidden options have no group
      options.push_back(optionJson(*option));
  for (const CLI::App *sub : command.get_subcommands([](const CLI::App *) { return true; }))
    commands.push_back(commandJson(*sub));
  return {{"name", command.get_name()},
          {"description", command.get_description()},
          {"footer", command.get_footer()},
          {"options", options},
          {"commands", commands}};
}

} // namespace

std::string optionTable(const CLI::App &root) { return commandJson(root).dump(1) + "\n"; }

} // namespace lanescope::app
