import ArgumentParser
import FlowModel
import Terminal

/// Sees to a person's own profile.
struct ProfileGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "profile",
        "help.broker.profileGroup",
        subcommands: [ProfileEdit.self]
    )
}

/// Changes a person's attributes.
struct ProfileEdit: PolicyCommand {
    static let configuration = CommandConfiguration("edit", "help.broker.profileEdit")

    static let policy = UsualPolicy.profileEdit

    @OptionGroup var options: PolicyOptions
}
