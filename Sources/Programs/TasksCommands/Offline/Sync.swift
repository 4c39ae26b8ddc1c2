import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import OfflineTables
import Tables
import TablesClient
import Terminal

struct Sync: Sendable {
    static let queryID = "all"
    /// The number of rows per request, which is the API's maximum.
    private static let pageSize = 1000
    static var limits: TablesClientLimits {
        var limits = TablesClientLimits()
        limits.connect = .seconds(3)
        limits.whole = .seconds(15)
        return limits
    }

    let session: TasksSession
    let api: APIAddress

    /// Pushes and pulls before a command uses the tasks.
    ///
    /// - Returns: The failure, which has already been printed on standard error, or `nil` on success.
    /// - Throws: A `TablesError` if the API requires additional verification.
    func refresh() async throws -> CommandFailure? {
        do {
            _ = try await pull()
            return nil
        } catch {
            let failure = try commandFailure(of: error)
            say(Text("cli.tasks.notUpToDate", ["reason": failure.text]).text)
            return failure
        }
    }

    /// Pushes a command's changes, and throws if the API rejects one of them.
    ///
    /// If `id` is not `nil`, only rejected changes of this task cause a failure. `shown` is called with each error
    /// before the first is thrown as a failure. Rejected changes remain in the store.
    func deliver(
        of id: RowID? = nil,
        _ shown: (TableOperationError) async throws -> Void = { _ in }
    ) async throws {
        guard try await session.context.pendingOperationsCount() > 0 else { return }
        let known = Set(try await session.context.errors().map(\.operationID))
        do {
            try await session.context.push()
        } catch let error as SyncError where error.code == .pushCompleteWithErrors {
            let isNew = { (one: TableOperationError) in
                !known.contains(one.operationID) && (id == nil || one.itemID == id)
            }
            let new = error.errors.filter(isNew)
            for one in new { try await shown(one) }
            if let first = new.first { throw CommandFailure(first) }
            say(Text("cli.tasks.undecidedNote", ["count": error.errors.count]).text)
        } catch {
            say(Text("cli.tasks.keptHere", ["reason": try commandFailure(of: error).text]).text)
        }
    }

    func push() async throws -> Int { try await session.context.push() }

    func pull(isFull: Bool = false, pushes: SyncTable.PushesFirst = .everything) async throws -> PullReport {
        var settings = SyncTable.PullSettings()
        settings.pageSize = Self.pageSize
        settings.isFull = isFull
        settings.pushesFirst = pushes
        return try await session.table.pull(queryID: Self.queryID, settings: settings)
    }

    /// Converts a push or pull error, or throws a `TablesError` if the API requires additional verification.
    func commandFailure(of error: any Error) throws -> CommandFailure {
        let cause = (error as? SyncError)?.underlying ?? error
        if let refused = cause as? TablesError {
            if refused.challenge?.error == .insufficientUserAuthentication { throw refused }
            return CommandFailure(refused, api)
        }
        if let refused = cause as? BrokerError, refused.refusal == .interactionRequired { return .signedOut("tasks") }
        return CommandFailure(cause, session.correlation)
    }

    private func say(_ text: String) { Program.complain("tasks: \(PlainText.line(text))") }
}

extension CommandFailure {
    init(_ error: TableOperationError) {
        let id = error.itemID.text.prefix(UniquePrefix.shortest)
        switch error.statusCode {
        case 409 where error.operation == .insert:
            self.init(
                .failed,
                "conflict",
                Text("cli.tasks.taskExists", ["id": error.itemID.text]),
                hint: Text("cli.tasks.keptOrDecided", ["id": String(id)])
            )
        case 404, 409, 412:
            self.init(
                .failed,
                "conflict",
                Text("cli.tasks.taskChanged"),
                hint: Text("cli.tasks.keptInConflict")
            )
        default:
            self.init(
                .failed,
                "refused",
                Text(error.said),
                hint: Text("cli.tasks.keptUncorrected", ["id": String(id)])
            )
        }
        facts["status"] = .int(Int64(error.statusCode))
        facts["column"] = error.column.map(JSONValue.string)
        facts["row"] = error.serverItem?.json
    }
}
