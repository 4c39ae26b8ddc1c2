import ArgumentParser
import FlowModel
import OAuth
import OfflineTables
import TablesClient
import Terminal

struct SyncTasks: TasksSubcommand {
    static let configuration = CommandConfiguration("sync", "help.tasks.syncTasks")

    @Flag(help: .text("help.tasks.syncTasks.push")) var push = false
    @Flag(help: .text("help.tasks.syncTasks.pull")) var pull = false
    @Flag(help: .text("help.tasks.syncTasks.full")) var full = false
    @Flag(help: .text("help.tasks.syncTasks.ask")) var ask = false
    @OptionGroup var options: TasksOptions

    func validate() throws {
        if push, pull { throw ValidationError(Text("cli.tasks.pushOrPull")) }
        if push, full { throw ValidationError(Text("cli.tasks.fullIsFetched")) }
        if pull, ask { throw ValidationError(Text("cli.tasks.askIsSent")) }
    }

    func run(_ correlation: CorrelationID) async throws {
        let terminal = TerminalDevice()
        if ask, terminal == nil {
            throw CommandFailure.noTerminal(Text("cli.tasks.noChoice"), options: ["`tasks resolve`"])
        }
        var settings = SyncContext.Options()
        if let terminal, !shared.json { settings.progress = SyncProgressLine(terminal: terminal).show }
        if ask, let terminal { settings.conflicts = ConflictQuestion(terminal: terminal).handler }
        let outcome = try await options.withStore(correlation, settings) { session, api in
            let outcome = try await synced(Sync(session: session, api: api), session)
            if shared.json { try Output.json(outcome.json) } else { try outcome.show() }
            // Only text on a terminal counts as shown, because a timer's output goes to a log that may stay unread.
            if shared.json || Output.isTerminal { try await session.context.markShown(outcome.errors) }
            return outcome
        }
        guard outcome.errors.isEmpty else {
            throw CommandFailure(
                .failed,
                "conflicts",
                Text("cli.tasks.undecided", ["count": outcome.errors.count]),
                hint: Text("cli.tasks.undecidedHint", ["count": outcome.errors.count])
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
            // The local tasks remain available, so the user can repeat the command later (exit status 75).
            failure = CommandFailure(.tryLater, failure.reason, failure.text, hint: failure.hint)
            failure.facts["pending"] = .int(Int64(try await session.context.pendingOperationsCount()))
            throw failure
        }
        outcome.errors = try await session.context.errors()
        return outcome
    }
}

struct SyncOutcome: Sendable {
    var sent = 0
    var pulled = PullReport()
    var errors: [TableOperationError] = []

    var json: JSONValue {
        [
            "sent": .int(Int64(sent)), "received": .int(Int64(pulled.kept)), "deleted": .int(Int64(pulled.deleted)),
            "dropped": .int(Int64(pulled.dropped)), "leftAlone": .int(Int64(pulled.leftAlone.count)),
            "conflicts": .array(errors.map { ConflictText(error: $0).json }),
        ]
    }

    func show() throws(CommandFailure) {
        var parts: [Text] = [
            Text("cli.tasks.sent", ["count": sent]), Text("cli.tasks.received", ["count": pulled.kept]),
        ]
        if pulled.deleted > 0 { parts.append(Text("cli.tasks.deleted", ["count": pulled.deleted])) }
        if pulled.dropped > 0 { parts.append(Text("cli.tasks.dropped", ["count": pulled.dropped])) }
        if !pulled.leftAlone.isEmpty { parts.append(Text("cli.tasks.leftAlone", ["count": pulled.leftAlone.count])) }
        try Output.line(Text.list(parts).text)
        try ConflictText.print(errors)
    }
}
