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

            Tasks are kept on this machine: they can be read and changed where the API cannot be reached, and are brought up \
            to date when it can.

            Exit codes: 0 done, 1 failed, 64 usage, 69 not reachable, 75 try later, 77 denied, 78 configuration.
            """,
        version: Version.text,
        subcommands: [
            SignUp.self, SignIn.self, SignOut.self, Accounts.self, Use.self, WhoAmI.self, List.self, Add.self,
            Done.self, Edit.self, Delete.self, Restore.self, SyncTasks.self, Status.self, Conflicts.self, Resolve.self,
            Purge.self, Export.self, Import.self, Balance.self,
        ]
    )

    static let notYet: [String] = []

    static var translatedHelp: [ScreenLanguage: [String: String]] { TasksHelp.translated }
}
