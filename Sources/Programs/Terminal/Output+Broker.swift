public import BrokerAPI
public import FlowModel

extension Output {
    /// Prints the account that is signed in now.
    public static func signedIn(_ account: AccountSummary, asJSON: Bool) throws(CommandFailure) {
        try answer(account.json, Text("cli.terminal.signedIn", ["name": account.label]), asJSON: asJSON)
    }

    /// Prints the account that was made, and is signed in now.
    public static func signedUp(_ account: AccountSummary, asJSON: Bool) throws(CommandFailure) {
        try answer(account.json, Text("cli.terminal.signedUp", ["name": account.label]), asJSON: asJSON)
    }

    /// Prints the result of a sign-out, with the parts that it could not end.
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

    /// The accounts, the one used last on top.
    public static func accounts(
        _ answer: AccountList.Answer,
        current: String? = nil,
        asJSON: Bool
    ) throws(CommandFailure) {
        if asJSON { return try json(AccountList.result(answer)) }
        let accounts = answer.sorted { $0.lastUsed > $1.lastUsed }
        try table(
            [""]
                + [
                    Text("cli.terminal.accountHeading").text, Text("cli.terminal.usernameHeading").text,
                    Text("cli.terminal.nameHeading").text, Text("cli.terminal.policiesHeading").text,
                ],
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
