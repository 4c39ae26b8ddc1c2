import ArgumentParser
import FlowModel
import ProgramConfiguration
import Terminal

struct TasksCommand: RootCommand {
    static let configuration = CommandConfiguration(
        "tasks",
        "help.tasks.tasksCommand",
        more: "help.tasks.tasksCommand.more",
        version: version,
        groups: [
            CommandGroup(
                "help.group.tasks",
                [List.self, Add.self, Done.self, Edit.self, Delete.self, Restore.self, Export.self, Import.self]
            ),
            CommandGroup(
                "help.group.synchronization",
                [SyncTasks.self, Status.self, Conflicts.self, Resolve.self, Purge.self]
            ),
            CommandGroup(
                "help.group.account",
                [SignUp.self, SignIn.self, SignOut.self, Accounts.self, Use.self, WhoAmI.self, Balance.self]
            ),
        ]
    )

    static let version = Version.text
    static let globalOptions: Set = ["--socket", "--correlation-id", "--account", "--config", "--data-directory"]
}
