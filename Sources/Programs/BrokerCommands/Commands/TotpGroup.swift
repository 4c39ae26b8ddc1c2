import ArgumentParser
import FlowModel
import Terminal

struct TotpGroup: EnrolmentGroup {
    static let configuration = CommandConfiguration(
        "totp",
        "help.broker.totpGroup",
        subcommands: [EnrolCommand<Self>.self, UnenrolCommand<Self>.self]
    )
    static let credential = EnrolledCredential(
        type: .totp,
        enrol: .init(help: "help.broker.totpEnrol", done: Text("cli.broker.authenticatorAdded")),
        remove: .init(help: "help.broker.totpRemove", done: Text("cli.broker.authenticatorRemoved")),
        isThere: .enrolled(Text("failure.authenticatorExists"), hint: Text("failure.authenticatorExists.hint")),
        isMissing: .notEnrolled(Text("failure.noAuthenticator"), hint: Text("failure.noAuthenticator.hint"))
    )
}
