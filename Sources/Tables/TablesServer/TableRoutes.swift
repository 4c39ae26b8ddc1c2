import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Metrics
import Moments
import OAuth
import Tables
import TablesStore

/// The routes under `/tables/{name}`, which list, read, insert, update, delete and undelete rows.
struct TableRoutes: Sendable {
    let store: TablesStore
    let check: BearerCheck
    let hooks: TableHooks
    let origin: ServerOrigin
    let clock: MomentClock
    let metrics: [String: TableMetrics]
    private let parsed = ParsedQueries()

    func add(to router: Router<HTTPContext>) {
        router.get("tables/:table", use: list)
        router.post("tables/:table", use: insert)
        router.patch("tables/:table", use: updateByBody)
        router.delete("tables/:table", use: deleteMatching)
        router.get("tables/:table/:id", use: lookUp)
        router.post("tables/:table/:id", use: undelete)
        router.put("tables/:table/:id", use: replace)
        router.patch("tables/:table/:id", use: update)
        router.delete("tables/:table/:id", use: delete)
    }

    // MARK: Reading

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.read, request, context) { table in
            let list = try ListRequest(request, table.options, of: table.definition, dialect: table.dialect, parsed)
            try await hooks.permit(.read, in: table.definition, by: table.identity, request)
            let page = try await store.page(
                table.definition,
                owner: table.owner,
                query: list.query,
                for: .of(context, table.identity)
            )
            table.metrics?.read.increment(by: page.count)
            if list.query.includesDeleted { table.metrics?.pulls.increment() }
            let headers = list.headers(page.count, hasMore: page.hasMore, origin: origin.of(request))
            return TableAnswers.json(.ok, list.body(page), headers: headers)
        }
    }

    @Sendable private func lookUp(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.read, request, context) { table in
            let query = try table.lookUpQuery(request)
            let conditions = try table.preconditions(request)
            guard let id = try table.id(context) else { return TableAnswers.absent(context) }
            try await hooks.permit(.read, of: id, in: table.definition, by: table.identity, request)
            let found = try await store.lookUp(
                id,
                in: table.definition,
                owner: table.owner,
                query: query,
                includingDeleted: table.dialect == .v3,
                for: .of(context, table.identity)
            )
            guard let (row, format) = found else { return TableAnswers.absent(context) }
            guard table.includesDeleted || !row.isDeleted else { throw TablesStoreError(.deleted) }
            guard conditions.match.holds(for: row) else { throw TablesStoreError(.mismatch, row: row) }
            if conditions.names(row) { return TableAnswers.notModified(row) }
            table.metrics?.read.increment()
            return TableAnswers.row(.ok, row, format)
        }
    }

    // MARK: Writing

    @Sendable private func insert(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.insert, request, context) { table in
            let key = try Self.idempotencyKey(request)
            let members = table.unechoed(try await Self.members(request, context))
            var draft = try RowDraft.insert(members, into: table.definition) { source in
                switch source {
                case .oid: table.identity.map { .string($0.oid) } ?? .null
                case .now: .date(clock.now.wall)
                case .uuid: .string(RowID.random().text)
                }
            }
            let conditions = try table.preconditions(request)
            let sent = draft
            // The hook is not called again for a request that repeats an idempotency key.
            if let key, let row = try await store.inserted(key, sent, into: table.definition, owner: table.owner) {
                let format = table.format(after: draft, in: store)
                return TableAnswers.row(.created, row, format, headers: table.location(row, origin, request))
            }
            draft = try await hooks.draft(draft, before: .insert, in: table.definition, by: table.identity, request)
            let row = try await store.insert(
                draft,
                into: table.definition,
                owner: table.owner,
                key: key,
                sent: sent,
                if: conditions
            )
            table.metrics?.inserted.increment()
            let format = table.format(after: draft, in: store)
            return TableAnswers.row(.created, row, format, headers: table.location(row, origin, request))
        }
    }

    @Sendable private func update(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.update, request, context) { table in
            let members = try await Self.members(request, context)
            if table.restores(members) { return try await restore(table, request, context, .ok) }
            let draft = try RowDraft.update(members, of: table.definition)
            return try await change(draft, table, request, context)
        }
    }

    @Sendable private func replace(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.update, request, context) { table in
            let members = try await Self.members(request, context)
            guard let id = try table.id(context) else { return TableAnswers.absent(context) }
            let stored = try await store.row(table.definition, owner: table.owner, id: id)
            let draft = try RowDraft.replacement(table.unechoed(members, stored: stored), of: table.definition)
            // A row that is deleted later is not restored, because the hook has not permitted it.
            let restoring = table.includesDeleted && stored?.isDeleted == true
            return try await change(draft, table, request, context, restoring: restoring)
        }
    }

    /// Changes the row in the path of the request, whose id the draft may repeat.
    private func change(
        _ draft: RowDraft,
        _ table: TableRequest,
        _ request: Request,
        _ context: HTTPContext,
        restoring: Bool = false
    ) async throws -> Response {
        guard let id = try table.id(context) else { return TableAnswers.absent(context) }
        guard draft.id == nil || draft.id == id else {
            throw RequestProblem(Text("row.twoIDs"), column: "id")
        }
        return try await change(id, draft, table, request, context, restoring: restoring)
    }

    @Sendable private func updateByBody(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.update, request, context) { table in
            let draft = try RowDraft.update(try await Self.members(request, context), of: table.definition)
            guard let id = draft.id else {
                throw RequestProblem(Text("row.noID"), column: "id")
            }
            return try await change(id, draft, table, request, context)
        }
    }

    private func change(
        _ id: RowID,
        _ draft: RowDraft,
        _ table: TableRequest,
        _ request: Request,
        _ context: HTTPContext,
        restoring: Bool = false
    ) async throws -> Response {
        var conditions = try table.preconditions(request)
        if conditions.match == .none, let version = draft.version { conditions.match = .oneOf([version]) }
        if restoring { try await hooks.permit(.undelete, of: id, in: table.definition, by: table.identity, request) }
        let draft = try await hooks.draft(
            draft,
            before: .update,
            of: id,
            in: table.definition,
            by: table.identity,
            request
        )
        let row = try await table.standing(restoring: restoring) {
            try await store.update(
                id,
                of: table.definition,
                owner: table.owner,
                with: draft,
                if: conditions,
                restoring: restoring
            )
        }
        table.metrics?.updated.increment()
        if restoring { table.metrics?.undeleted.increment() }
        return TableAnswers.row(.ok, row, table.format(after: draft, in: store))
    }

    @Sendable private func delete(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.delete, request, context) { table in
            let conditions = try table.preconditions(request)
            guard let id = try table.id(context) else { return TableAnswers.absent(context) }
            try await hooks.permit(.delete, of: id, in: table.definition, by: table.identity, request)
            let row = try await table.standing {
                try await store.delete(id, of: table.definition, owner: table.owner, if: conditions)
            }
            table.metrics?.deleted.increment()
            return table.dialect == .v2 ? TableAnswers.row(.ok, row, table.format) : TableAnswers.nothing()
        }
    }

    @Sendable private func deleteMatching(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.delete, request, context) { table in
            guard try table.preconditions(request) == .none else {
                throw RequestProblem(Text("row.conditionOfOneRow"))
            }
            guard table.definition.hook?.operations.contains(.delete) != true else {
                throw RequestProblem(Text("row.hookForEach"))
            }
            guard let text = table.options["$filter"], !text.isEmpty else {
                throw RequestProblem(Text("row.noFilter"))
            }
            let filter = try Filter(parsing: text)
            try await context.room?.reserve(AnswerRoom.most)
            let rows = try await store.delete(
                matching: filter,
                of: table.definition,
                owner: table.owner,
                for: .of(context, table.identity)
            )
            table.metrics?.deleted.increment(by: rows.count)
            return table.isV1 ? TableAnswers.nothing() : TableAnswers.json(.ok, table.format.json(rows))
        }
    }

    @Sendable private func undelete(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.update, request, context) { table in
            guard try await request.body.collect(upTo: context.maxUploadSize).readableBytes == 0 else {
                throw RequestProblem(Text("row.bodyOfUndelete"))
            }
            return try await restore(table, request, context, table.isV1 ? .ok : .created)
        }
    }

    private func restore(
        _ table: TableRequest,
        _ request: Request,
        _ context: HTTPContext,
        _ status: HTTPResponse.Status
    ) async throws -> Response {
        let conditions = try table.preconditions(request)
        guard let id = try table.id(context) else { return TableAnswers.absent(context) }
        try await hooks.permit(.undelete, of: id, in: table.definition, by: table.identity, request)
        let row = try await store.undelete(id, of: table.definition, owner: table.owner, if: conditions)
        table.metrics?.undeleted.increment()
        return TableAnswers.row(status, row, table.format)
    }

    // MARK: Steps of a request

    /// Finds the table, authenticates and authorizes the request, and runs `body` to create the response.
    private func answering(
        _ verb: TableDeclaration.Verb,
        _ request: Request,
        _ context: HTTPContext,
        _ body: (TableRequest) async throws -> Response
    ) async throws -> Response {
        try await TableRefusals.counting {
            let sender = try await check.sender(request, context)
            let dialect = try ProtocolVersion.dialect(request)
            guard let definition = store.table(try context.segment("table")) else {
                throw HTTPProblem(.notFound, code: "not_found", Text("tables.noTable"))
            }
            let owner = try Permission(table: definition, verb: verb).owner(sender)
            return try await TableAnswers.answering(context) {
                var table = try TableRequest(definition, owner, sender.identity, dialect, request)
                table.metrics = metrics[definition.name]
                return try await TableAnswers.answering(context, table.format) { [table] in
                    do {
                        return try await Self.within(context.room, verb, of: sender.identity) { try await body(table) }
                    } catch let error as TablesStoreError where error.code == .deleted && table.isV1 {
                        throw TablesStoreError(.notFound)
                    }
                }
            }
        }
    }

    /// Runs `body` to create a response within the user's memory limit for responses.
    ///
    /// A read that reaches the limit waits for memory and starts again. A write waits before it changes anything.
    static func within(
        _ room: AnswerRoom?,
        _ verb: TableDeclaration.Verb,
        of identity: BearerIdentity?,
        _ body: () async throws -> Response
    ) async throws -> Response {
        guard let room else { return try await body() }
        if let identity { room.belongs(to: identity.owner) }
        switch verb {
        case .read:
            do {
                return try await body()
            } catch let error as TablesStoreError where error.code == .noRoom {
                try await room.reserve(AnswerRoom.most)
                return try await body()
            }
        case .insert, .update, .delete:
            try await room.reserve(AnswerRoom.step)
            return try await body()
        }
    }

    private static func members(_ request: Request, _ context: HTTPContext) async throws -> [String: TableValue] {
        try JSONBody.checkType(request)
        return try RowJSON.members(try await request.body.collect(upTo: context.maxUploadSize))
    }

    private static let idempotencyName = HTTPField.Name("Idempotency-Key")

    private static func idempotencyKey(_ request: Request) throws -> UUID? {
        guard let field = idempotencyName.flatMap({ request.headers[$0] }) else { return nil }
        let text = field.hasPrefix("\"") && field.hasSuffix("\"") ? String(field.dropFirst().dropLast()) : field
        guard let key = UUID(uuidString: text) else {
            throw RequestProblem(Text("row.keyNotUUID"))
        }
        return key
    }
}
