public import BrokerAPI
public import FlowModel

extension Output {
    /// Prints the account that is signed in now.
    public static func signedIn(_ account: AccountSummary, _ words: String, asJSON: Bool) throws(CommandFailure) {
        if asJSON {
            try json(account.json)
        } else {
            try line("\(words) \(account.displayName) <\(account.username)>.")
        }
    }

    /// Prints the result of a sign-out, with the parts that it could not end.
    public static func signedOut(_ answer: SignOutSummary, asJSON: Bool) throws(CommandFailure) {
        if asJSON {
            try json(answer.json)
            return
        }
        let removed = [(answer.tokens, "token"), (answer.sessions, "session"), (answer.flows, "flow")]
        let words = removed.map { count, what in "\(count) \(what)\(count == 1 ? "" : "s")" }
        try line("Signed out: removed \(words.joined(separator: ", ")).")
        for left in answer.left { try line("Left, and tried again: \(left)") }
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
        let accounts = answer.values.sorted { $0.lastUsed > $1.lastUsed }
        try table(
            ["", "ACCOUNT", "USERNAME", "NAME", "POLICIES"],
            accounts.map { account in
                [
                    account.account == current ? "*" : "", account.account, account.username, account.displayName,
                    account.policies.joined(separator: " "),
                ]
            }
        )
    }
}
