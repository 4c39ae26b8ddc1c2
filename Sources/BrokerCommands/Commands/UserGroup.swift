import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The users of the authority; for operators.
struct UserGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "See to the users of the authority; for operators.",
        subcommands: [
            UserListCommand.self, UserShowCommand.self, UserInviteCommand.self, UserDisableCommand.self,
            UserUnlockCommand.self, UserDeleteCommand.self,
        ]
    )
}

/// Lists users.
struct UserListCommand: Command {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the users, by object id.")

    @Option(help: "Only those after this object id.") var after: String?
    @Option(help: "At most so many, 1 to 1000.") var limit: Int64?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let limit, !(1...1000).contains(limit) { throw ValidationError("--limit lies between 1 and 1000") }
    }

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { broker in
            try await broker.call(UserList(after: after, limit: limit))
        }
        if shared.json {
            try Output.json(answer.json)
        } else {
            try Output.table(
                ["USER", "STATE", "NAME", "SIGN-IN NAMES"],
                answer.values.map {
                    [
                        $0.user, $0.enabled ? "enabled" : "disabled", $0.displayName,
                        $0.signInNames.joined(separator: " "),
                    ]
                }
            )
        }
    }
}

/// Shows a user.
struct UserShowCommand: Command {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a user, with attributes.")

    @Argument(help: "The object id or a sign-in name.") var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withUsers(correlation) { try await $0.call(UserShow(user: user)) }
        try Output.user(answer, asJSON: shared.json)
    }
}

/// Invites somebody.
struct UserInviteCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Invite whoever has an address to sign up with it, by mail."
    )

    @Argument(help: "The address.") var email: String
    @Option(help: "How many days the invitation is good, 1 to 365.") var days: Int64?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let days, !(1...365).contains(days) { throw ValidationError("--days lies between 1 and 365") }
    }

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) {
            try await $0.call(UserInvite(email: email, days: days))
        }
        if shared.json {
            try Output.json(answer.json)
        } else {
            try Output.line("Invited \(email) until \(TimeText.utc(answer.value.expiresAt)).")
        }
    }
}

/// Keeps a user out.
struct UserDisableCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Keep a user from signing in, and end sessions and renewals."
    )

    @Argument(help: "The object id or a sign-in name.") var user: String
    @Flag(help: "Let the user sign in again.") var undo = false
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withUsers(correlation) {
            try await $0.call(UserDisable(user: user, disabled: !undo))
        }
        try Output.user(answer, asJSON: shared.json)
    }
}

/// Lets a user try again.
struct UserUnlockCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Lift the blocks on a user's attempts."
    )

    @Argument(help: "The object id or a sign-in name.") var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withUsers(correlation) { try await $0.call(UserUnlock(user: user)) }
        try Output.user(answer, asJSON: shared.json)
    }
}

/// Deletes a user.
struct UserDeleteCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a user, with sessions, flows and renewals, or take an invitation back."
    )

    @Argument(help: "The object id or a sign-in name, or an invited address.") var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withUsers(correlation) { try await $0.call(UserDelete(user: user)) }
        if shared.json { try Output.json(answer.json) } else { try Output.line("Deleted user \(user).") }
    }
}

extension ConnectionOptions {
    /// Talks about a user to the daemon: who is unknown is looked for among the users.
    func withUsers<Value: Sendable>(
        _ correlation: CorrelationID,
        _ body: (BrokerClient) async throws -> Value
    ) async throws -> Value {
        do {
            return try await withBroker(correlation, body)
        } catch let error as BrokerError where error.refusal == .accountNotFound {
            var failure = CommandFailure(error, correlation)
            failure.hint = "`tokenbroker user list` shows them by object id"
            throw failure
        }
    }
}

extension Output {
    /// One user.
    fileprivate static func user(_ answer: One<UserSummary>, asJSON: Bool) throws(CommandFailure) {
        if asJSON {
            try json(answer.json)
            return
        }
        let user = answer.value
        try line("\(user.user) \(user.enabled ? "enabled" : "disabled")")
        try line("\(user.displayName) <\(user.signInNames.joined(separator: ", "))>")
        if let groups = user.groups, !groups.isEmpty { try line("groups: \(groups.joined(separator: ", "))") }
        for (name, value) in (user.attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
            try line("\(name): \(value.string ?? value.text)")
        }
    }
}
