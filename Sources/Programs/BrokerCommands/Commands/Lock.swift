import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct Lock: DaemonCommand {
    static let configuration = CommandConfiguration("lock", "help.broker.lock")

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        // Asks for a passphrase only if the cache is not already locked.
        let answer = try await connection.withBroker(correlation) { broker in
            if try await broker.status().locked { throw LockFailure.isLocked }
            return try await broker.call(BrokerLock(passphrase: try await passphrase.new()))
        }
        try Output.locked(answer, asJSON: shared.json)
    }
}

struct Unlock: DaemonCommand {
    static let configuration = CommandConfiguration("unlock", "help.broker.unlock", more: "help.broker.unlock.more")

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { broker in
            guard try await broker.status().locked else { return LockAnswer(locked: false) }
            do {
                return try await broker.call(BrokerUnlock(passphrase: try await passphrase.known()))
            } catch let error as BrokerError where error.refusal == .invalidAnswer {
                throw LockFailure.wrong(error)
            }
        }
        try Output.locked(answer, asJSON: shared.json)
    }
}

/// Reads a passphrase from the terminal or standard input, never from an argument.
struct PassphraseOptions: ParsableArguments {
    @Flag(name: .customLong("password-stdin"), help: .text("help.broker.passphraseOptions.fromInput"))
    var fromInput = false

    /// The maximum length of a passphrase in bytes, which is also the broker's limit.
    private static let limit = 1024

    func new() async throws -> Secret {
        if fromInput { return try checked(try line()) }
        guard let terminal = TerminalDevice() else {
            throw CommandFailure.noTerminal(Text("cli.broker.thePassphrase"), options: ["--password-stdin"])
        }
        while true {
            let first = try checked(try await terminal.ask(Text("cli.broker.newPassphrase").text, echo: false))
            if try await terminal.ask(Text("cli.broker.again").text, echo: false) == first { return first }
            terminal.show(Text("cli.broker.notTheSame").text + "\n")
        }
    }

    func known() async throws -> Secret {
        if fromInput { return try checked(try line()) }
        guard let terminal = TerminalDevice() else {
            throw CommandFailure.noTerminal(Text("cli.broker.thePassphrase"), options: ["--password-stdin"])
        }
        return try checked(try await terminal.ask(Text("cli.broker.passphrase").text, echo: false))
    }

    private func line() throws -> Secret {
        guard let line = try StandardInput.line() else {
            throw CommandFailure.interactionRequired(Text("cli.broker.noLine"))
        }
        return line
    }

    private func checked(_ passphrase: Secret) throws -> Secret {
        guard (1...Self.limit).contains(passphrase.count) else {
            throw CommandFailure(.usage, "invalid_params", Text("cli.broker.passphraseLength", ["most": Self.limit]))
        }
        return passphrase
    }
}

enum LockFailure {
    static let isLocked = CommandFailure(
        .denied,
        Refusal.Reason.locked.word,
        Text("cli.broker.isLocked"),
        hint: Text("cli.broker.unlockOpens")
    )

    static func wrong(_ error: BrokerError) -> CommandFailure {
        let seconds = error.retryAfterMs.map { ($0 + 999) / 1000 }
        return CommandFailure(
            .denied,
            error.reason,
            error.text,
            hint: seconds.map { Text("cli.broker.retry", ["seconds": $0]) } ?? Text("cli.broker.forgotten")
        )
    }
}

extension Output {
    static func locked(_ answer: LockAnswer, asJSON: Bool) throws(CommandFailure) {
        try asJSON ? json(answer.json) : line(Text(answer.locked ? "cli.broker.locked" : "cli.broker.unlocked"))
    }
}
