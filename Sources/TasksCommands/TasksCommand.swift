import ArgumentParser
import ProgramConfiguration
import Terminal

/// `tasks`: the commands, in the order in which `--help` shows them.
struct TasksCommand: RootCommand {
    static let configuration = CommandConfiguration(
        commandName: "tasks",
        abstract: "Keep a list of tasks that only you can read.",
        discussion: """
            An ID may be any beginning of it that no other task has. The last sign-in is the current account; --account or \
            TASKS_ACCOUNT names another one for one call.

            Exit codes: 0 done, 1 failed, 64 usage, 69 not reachable, 75 try later, 77 denied, 78 configuration.
            """,
        version: Version.text,
        subcommands: [
            SignUp.self, SignIn.self, SignOut.self, Accounts.self, Use.self, WhoAmI.self, List.self, Add.self,
            Done.self, Edit.self, Delete.self, Restore.self, Balance.self,
        ]
    )

    static let notYet = [
        "sync", "status", "conflicts", "resolve", "purge", "export", "import", "sign-in --browser", "sign-in --device",
        "sign-in --provider", "list --offline", "add --offline", "done --offline", "edit --offline",
        "delete --offline",
    ]
}
