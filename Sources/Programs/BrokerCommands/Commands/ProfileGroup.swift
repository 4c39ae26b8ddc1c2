import ArgumentParser
import Terminal

/// Sees to a person's own profile.
struct ProfileGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "See to your profile.",
        subcommands: [ProfileEdit.self]
    )
}

/// Changes a person's attributes.
struct ProfileEdit: PolicyCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change your name and what else a policy lets you change; tokens say it from then on."
    )

    static let policy = UsualPolicy.profileEdit

    @OptionGroup var options: PolicyOptions
}
