import ArgumentParser
import FlowModel
import ProgramConfiguration
import Terminal

/// `tasks`: the commands, in the order in which `--help` shows them.
struct TasksCommand: RootCommand {
    static let configuration = CommandConfiguration(
        "tasks",
        "help.tasks.tasksCommand",
        more: "help.tasks.tasksCommand.more",
        version: Version.text,
        subcommands: [
            SignUp.self, SignIn.self, SignOut.self, Accounts.self, Use.self, WhoAmI.self, List.self, Add.self,
            Done.self, Edit.self, Delete.self, Restore.self, SyncTasks.self, Status.self, Conflicts.self, Resolve.self,
            Purge.self, Export.self, Import.self, Balance.self,
        ]
    )

    static let notYet: [String] = []
}
