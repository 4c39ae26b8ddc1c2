public import BrokerAPI
public import FlowModel

extension Output {
    /// Prints the account that is signed in now.
    public static func signedIn(_ account: AccountSummary, asJSON: Bool) throws(CommandFailure) {
        try asJSON ? json(account.json) : line(TerminalText.signedIn(account.label).text)
    }

    /// Prints the account that was made, and is signed in now.
    public static func signedUp(_ account: AccountSummary, asJSON: Bool) throws(CommandFailure) {
        try asJSON ? json(account.json) : line(TerminalText.signedUp(account.label).text)
    }

    /// Prints the result of a sign-out, with the parts that it could not end.
    public static func signedOut(_ answer: SignOutSummary, asJSON: Bool) throws(CommandFailure) {
        if asJSON {
            try json(answer.json)
            return
        }
        let removed: [TerminalText] = [
            .tokens(answer.tokens), .sessions(answer.sessions), .flows(answer.flows),
        ]
        try line(TerminalText.signedOutOf(removed: removed.map(\.text)).text)
        for left in answer.left { try line(TerminalText.left("\(left)").text) }
    }

    /// The accounts, the one used last on top.
    public static func accounts(
        _ answer: AccountList.Answer,
        current: String? = nil,
        asJSON: Bool
    ) throws(CommandFailure) {
        if asJSON {
            try json(answer.json)
            return
        }
        let accounts = answer.sorted { $0.lastUsed > $1.lastUsed }
        try table(
            [""]
                + [TerminalText.accountHeading, .usernameHeading, .nameHeading, .policiesHeading].map(\.text),
            accounts.map { account in
                [
                    account.account == current ? "*" : "", account.account, account.username, account.displayName,
                    account.policies.joined(separator: " "),
                ]
            }
        )
    }
}

extension AccountSummary {
    /// The name and the user name, as people are told of an account.
    public var label: String { "\(displayName) <\(username)>" }
}
