import ArgumentParser
import FlowModel
import Terminal

/// Sees to a person's own profile.
struct ProfileGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: Text("help.broker.profileGroup").text,
        subcommands: [ProfileEdit.self]
    )
}

/// Changes a person's attributes.
struct ProfileEdit: PolicyCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: Text("help.broker.profileEdit").text
    )

    static let policy = UsualPolicy.profileEdit

    @OptionGroup var options: PolicyOptions
}
