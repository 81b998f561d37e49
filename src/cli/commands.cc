#include "cli/command.h"

namespace sluice {

Action configure_up(CLI::App& app);
Action configure_psql(CLI::App& app);
Action configure_migrate(CLI::App& app);
Action configure_worker(CLI::App& app);
Action configure_serve(CLI::App& app);
Action configure_key(CLI::App& app);
Action configure_mock(CLI::App& app);
Action configure_submit(CLI::App& app);
Action configure_status(CLI::App& app);
Action configure_top(CLI::App& app);
Action configure_doctor(CLI::App& app);
Action configure_probe(CLI::App& app);
Action configure_tasks(CLI::App& app);
Action configure_task(CLI::App& app);
Action configure_explain(CLI::App& app);
Action configure_cancel(CLI::App& app);
Action configure_redrive(CLI::App& app);
Action configure_forget(CLI::App& app);
Action configure_dead_letters(CLI::App& app);
Action configure_job(CLI::App& app);
Action configure_export(CLI::App& app);
Action configure_import(CLI::App& app);
Action configure_model(CLI::App& app);
Action configure_route(CLI::App& app);
Action configure_fallback(CLI::App& app);
Action configure_tenant(CLI::App& app);
Action configure_price(CLI::App& app);
Action configure_budget(CLI::App& app);
Action configure_ramp(CLI::App& app);
Action configure_shadow(CLI::App& app);
Action configure_completion(CLI::App& app);
Action configure_complete(CLI::App& app);
Action configure_manual(CLI::App& app);

namespace {

constexpr Command command_table[] = {
    {"up", "Private PostgreSQL, schema and worker in one command, for one machine", configure_up},
    {"psql", "psql on the same database; all arguments are psql's", configure_psql, true},
    {"migrate", "Bring the database's schema to this binary's version", configure_migrate},
    {"worker", "Serve models: claim tasks, call their backends, record the results",
     configure_worker},
    {"serve", "The HTTP API: tasks, configuration, health and metrics", configure_serve},
    {"submit", "Submit tasks from a file of JSON lines, or one prompt", configure_submit},
    {"status", "Queues, calls in flight and workers at a glance", configure_status},
    {"top", "A live screen of queues, rates, quotas, workers and failures", configure_top},
    {"doctor", "What is wrong with this installation, with the way out of each finding",
     configure_doctor},
    {"probe", "Whether a worker or server lives; for the health checks of containers",
     configure_probe},
    {"tasks", "The newest tasks", configure_tasks},
    {"task", "One task with all its fields and texts", configure_task},
    {"explain", "Why a task is where it is, in one sentence", configure_explain},
    {"cancel", "End unfinished tasks; running calls are aborted", configure_cancel},
    {"redrive", "Send tasks that failed, expired or were cancelled back", configure_redrive},
    {"forget", "Erase the texts of finished tasks, and keep their counts", configure_forget},
    {"dead-letters", "Tasks that failed for good", configure_dead_letters},
    {"job", "Act on any number of tasks in the background, and undo it", configure_job},
    {"export", "Tasks and results as JSON lines or CSV, the oldest first", configure_export},
    {"import", "Take over tasks that export has written", configure_import},
    {"model", "List, make, change, pause, close and delete models", configure_model},
    {"route", "List, make, weigh and delete routes", configure_route},
    {"fallback", "Say where tasks go that their model cannot serve", configure_fallback},
    {"tenant", "List, change and forget weights and limits of tenants", configure_tenant},
    {"price", "List, set and remove prices of models, now and to come", configure_price},
    {"budget", "List, make, change and delete budgets: what calls may cost", configure_budget},
    {"ramp", "Let a model's share of a route grow in steps, and go back if it does worse",
     configure_ramp},
    {"shadow", "Count what a changed limit, budget or weight would do, before it holds",
     configure_shadow},
    {"key", "Make, list and revoke the keys of the HTTP API", configure_key},
    {"mock", "A stand-in model backend for demos, tests and benchmarks", configure_mock},
    {"completion", "A script that completes commands, flags and values in your shell",
     configure_completion},
    {"complete", "What may stand where the cursor is, for the shells' scripts", configure_complete,
     true, true},
    {"manual", "The manual's page of a command, for man: sluice manual worker | man -l -",
     configure_manual},
};

}  // namespace

std::span<const Command> commands() {
  return command_table;
}

}  // namespace sluice
