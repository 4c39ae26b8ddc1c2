public import BrokerAPI
public import FlowModel

extension Output {
    /// Prints the account that signed in.
    public static func signedIn(_ account: AccountSummary, asJSON: Bool) throws(CommandFailure) {
        try answer(account.json, Text("cli.terminal.signedIn", ["name": account.label]), asJSON: asJSON)
    }

    /// Prints the account that was created and signed in.
    public static func signedUp(_ account: AccountSummary, asJSON: Bool) throws(CommandFailure) {
        try answer(account.json, Text("cli.terminal.signedUp", ["name": account.label]), asJSON: asJSON)
    }

    /// Prints the result of a sign-out, including what the daemon could not revoke or end yet.
    public static func signedOut(_ answer: SignOutSummary, asJSON: Bool) throws(CommandFailure) {
        if asJSON { return try json(answer.json) }
        let removed: [Text] = [
            Text("cli.terminal.tokens", ["count": answer.tokens]),
            Text("cli.terminal.sessions", ["count": answer.sessions]),
            Text("cli.terminal.flows", ["count": answer.flows]),
        ]
        try line(Text("cli.terminal.signedOutOf", ["removed": removed.map(\.text).joined(separator: ", ")]))
        for left in answer.left { try line(Text("cli.terminal.left", ["what": "\(left)"])) }
    }

    /// Prints the accounts, most recently used first, and marks the account with the id `current`.
    ///
    /// If there are no accounts, prints the message `empty`, which mentions the command to run next.
    public static func accounts(
        _ answer: AccountList.Answer,
        current: String? = nil,
        empty: Text,
        asJSON: Bool
    ) throws(CommandFailure) {
        if asJSON { return try json(AccountList.result(answer)) }
        let accounts = answer.sorted { $0.lastUsed > $1.lastUsed }
        try table(
            [
                "  " + Text("cli.terminal.nameHeading").text, Text("cli.terminal.usernameHeading").text,
                Text("cli.terminal.policiesHeading").text, Text("cli.terminal.accountHeading").text,
            ],
            accounts.map { account in
                [
                    (account.account == current ? "* " : "  ") + account.displayName, account.username,
                    account.policies.joined(separator: " "), account.account,
                ]
            },
            empty: empty
        )
    }
}

extension AccountSummary {
    /// The display name and the user name, as `NAME <USERNAME>`.
    public var label: String { "\(displayName) <\(username)>" }
}
