import ArgumentParser
import FlowModel
import Terminal

struct ProfileGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "profile",
        "help.broker.profileGroup",
        subcommands: [ProfileEdit.self]
    )
}

struct ProfileEdit: PolicyCommand {
    static let configuration = CommandConfiguration("edit", "help.broker.profileEdit")

    static let policy = UsualPolicy.profileEdit

    @OptionGroup var options: PolicyOptions
}
