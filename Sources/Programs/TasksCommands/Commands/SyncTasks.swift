import ArgumentParser
import OAuth
import OfflineTables
import TablesClient
import Terminal

/// Brings the tasks here and those of the API up to date with each other.
struct SyncTasks: Command {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Send the edits that wait, and fetch what changed."
    )

    @Flag(help: "Send only.") var push = false
    @Flag(help: "Fetch only.") var pull = false
    @Flag(help: "Fetch everything anew, and drop tasks that the API no longer has.") var full = false
    @Flag(help: "Ask for each conflict.") var ask = false
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if push, pull { throw ValidationError(TasksText.pushOrPull.text) }
        if push, full { throw ValidationError(TasksText.fullIsFetched.text) }
        if pull, ask { throw ValidationError(TasksText.askIsSent.text) }
    }

    func run(_ correlation: CorrelationID) async throws {
        let terminal = TerminalDevice()
        if ask, terminal == nil {
            throw CommandFailure.noTerminal(TasksText.noChoice.text, options: [TasksText.needsResolve.text])
        }
        var settings = SyncContext.Options()
        if let terminal, !shared.json { settings.progress = SyncProgressLine(terminal).show }
        if ask, let terminal { settings.conflicts = ConflictQuestion(terminal).handler }
        let outcome = try await options.withStore(correlation, settings) { session, api in
            let outcome = try await synced(Sync(session, api), session)
            if shared.json { try Output.json(outcome.json) } else { try outcome.show() }
            // What a timer syncs goes to a log.
            if shared.json || Output.isTerminal { try await session.context.markShown(outcome.errors) }
            return outcome
        }
        guard outcome.errors.isEmpty else {
            throw CommandFailure(
                .failed,
                "conflicts",
                TasksText.undecided(outcome.errors.count).text,
                hint: TasksText.undecidedHint(outcome.errors.count).text
            )
        }
    }

    private func synced(_ sync: Sync, _ session: TasksSession) async throws -> SyncOutcome {
        var outcome = SyncOutcome()
        do {
            if !pull {
                do {
                    outcome.sent = try await sync.push()
                } catch let error as SyncError where error.code == .pushCompleteWithErrors {
                    outcome.sent = error.completed
                }
            }
            if !push { outcome.pulled = try await sync.pull(isFull: full, pushes: .nothing) }
        } catch {
            var failure = try sync.commandFailure(of: error)
            guard failure.status == .unreachable || failure.reason == CommandFailure.listenerRefused else {
                throw failure
            }
            // The copy here is an answer: later it can be brought up to date.
            failure = CommandFailure(.tryLater, failure.reason, failure.message, hint: failure.hint)
            failure.facts["pending"] = .int(Int64(try await session.context.pendingOperationsCount()))
            throw failure
        }
        outcome.errors = try await session.context.errors()
        return outcome
    }
}

/// The result of a sync.
struct SyncOutcome: Sendable {
    var sent = 0
    var pulled = PullReport()
    var errors: [TableOperationError] = []

    var json: JSONValue {
        [
            "sent": .int(Int64(sent)), "received": .int(Int64(pulled.kept)), "deleted": .int(Int64(pulled.deleted)),
            "dropped": .int(Int64(pulled.dropped)), "leftAlone": .int(Int64(pulled.leftAlone.count)),
            "conflicts": .array(errors.map { ConflictText($0).json }),
        ]
    }

    func show() throws(CommandFailure) {
        var parts: [TasksText] = [.sent(sent), .received(pulled.kept)]
        if pulled.deleted > 0 { parts.append(.deleted(pulled.deleted)) }
        if pulled.dropped > 0 { parts.append(.dropped(pulled.dropped)) }
        if !pulled.leftAlone.isEmpty { parts.append(.leftAlone(pulled.leftAlone.count)) }
        try Output.line(parts.map(\.text).joined(separator: ", "))
        try ConflictText.print(errors)
    }
}
