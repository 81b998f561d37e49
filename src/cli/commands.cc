#include "cli/command.h"

namespace sluice {

Action configure_up(CommandSyntax syntax);
Action configure_psql(CommandSyntax syntax);
Action configure_migrate(CommandSyntax syntax);
Action configure_worker(CommandSyntax syntax);
Action configure_serve(CommandSyntax syntax);
Action configure_key(CommandSyntax syntax);
Action configure_mock(CommandSyntax syntax);
Action configure_submit(CommandSyntax syntax);
Action configure_status(CommandSyntax syntax);
Action configure_top(CommandSyntax syntax);
Action configure_doctor(CommandSyntax syntax);
Action configure_probe(CommandSyntax syntax);
Action configure_tasks(CommandSyntax syntax);
Action configure_task(CommandSyntax syntax);
Action configure_explain(CommandSyntax syntax);
Action configure_cancel(CommandSyntax syntax);
Action configure_redrive(CommandSyntax syntax);
Action configure_forget(CommandSyntax syntax);
Action configure_dead_letters(CommandSyntax syntax);
Action configure_job(CommandSyntax syntax);
Action configure_export(CommandSyntax syntax);
Action configure_import(CommandSyntax syntax);
Action configure_model(CommandSyntax syntax);
Action configure_route(CommandSyntax syntax);
Action configure_tenant(CommandSyntax syntax);
Action configure_price(CommandSyntax syntax);
Action configure_budget(CommandSyntax syntax);
Action configure_completion(CommandSyntax syntax);
Action configure_complete(CommandSyntax syntax);
Action configure_manual(CommandSyntax syntax);

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
    {"tenant", "List, change and forget weights and limits of tenants", configure_tenant},
    {"price", "List, set and remove prices of models, now and to come", configure_price},
    {"budget", "List, make, change and delete budgets: what calls may cost", configure_budget},
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
