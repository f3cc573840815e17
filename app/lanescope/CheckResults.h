// `check --results`: many files, into a folder of records.
#pragma once

#include "app/lanescope/Arguments.h"
#include "repl/check/many/MergedChecks.h"

namespace lanescope::app {

/// The grade from which on findings make the command fail, as `--fail-on` or `--strict` gives it.
repl::FailOn failOnOf(const CheckArguments &arguments);

/// Checks the files and reports the results folder. Returns the exit status.
int checkIntoResults(const CheckArguments &arguments, const repl::CheckOptions &options);

/// Merges folders of results, marks the findings of a baseline and writes the report to `output`, or to standard output
/// if it is empty. Returns the exit status.
int reportResults(const ReportArguments &arguments);

} // namespace lanescope::app
