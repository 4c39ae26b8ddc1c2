import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Moments
import OAuth
import Tables
import TablesStore

/// `/tables/{name}`: list, look up, insert, change and delete rows.
struct TableRoutes: Sendable {
    let tables: [TableDefinition]
    let store: TablesStore
    let check: BearerCheck
    let hooks: TableHooks
    let origin: ServerOrigin
    let clock: MomentClock

    func add(to router: Router<HTTPContext>) {
        router.get("tables/:table", use: list)
        router.post("tables/:table", use: insert)
        router.get("tables/:table/:id", use: lookUp)
        router.patch("tables/:table/:id", use: update)
        router.delete("tables/:table/:id", use: delete)
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await TableAnswers.answering(context) {
            let (table, caller, owner) = try await admitted(.read, request, context)
            let query = try TableQuery(request.uri.query)
            try await hooks.permit(.read, in: table, by: caller, request)
            let page = try await store.rows(table, owner: owner, limit: query.limit, skip: query.skip)
            var headers: HTTPFields = [:]
            if page.hasMore, let link = HTTPField.Name("Link") {
                let next = query.next(after: page.rows.count, origin: origin.of(request), path: request.uri.path)
                headers[link] = next.map { "\($0); rel=next" }
            }
            return TableAnswers.json(.ok, .array(page.rows.map(RowJSON.object)), headers: headers)
        }
    }

    @Sendable private func lookUp(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await TableAnswers.answering(context) {
            let (table, caller, owner) = try await admitted(.read, request, context)
            try TableQuery.refuseOptions(request.uri.query)
            let id = try id(context)
            if let id { try await hooks.permit(.read, of: id, in: table, by: caller, request) }
            guard let id, let row = try await store.row(table, owner: owner, id: id), !row.isDeleted
            else { return TableAnswers.refusal(.notFound, "The item does not exist", context) }
            return TableAnswers.row(.ok, row)
        }
    }

    @Sendable private func insert(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await TableAnswers.answering(context) {
            let (table, caller, owner) = try await admitted(.insert, request, context)
            let key = try idempotencyKey(request)
            var draft = try RowDraft.insert(try await members(request, context), into: table) { source in
                switch source {
                case .oid: caller.map { .string($0.oid) } ?? .null
                case .now: .date(clock.now.wall)
                case .uuid: .string(RowID.random().text)
                }
            }
            draft = try await hooks.draft(draft, before: .insert, in: table, by: caller, request)
            let row = try await store.insert(draft, into: table, owner: owner, key: key)
            return TableAnswers.row(.created, row)
        }
    }

    @Sendable private func update(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await TableAnswers.answering(context) {
            let (table, caller, owner) = try await admitted(.update, request, context)
            var draft = try RowDraft.update(try await members(request, context), of: table)
            guard let id = try id(context) else {
                return TableAnswers.refusal(.notFound, "The item does not exist", context)
            }
            guard draft.id == nil || draft.id == id else {
                throw TableProblem(message: "The item ID and querystring ID did not match", column: "id")
            }
            var condition = try condition(request)
            if condition == .none, let version = draft.version { condition = .oneOf([version]) }
            draft = try await hooks.draft(draft, before: .update, of: id, in: table, by: caller, request)
            let row = try await store.update(id, of: table, owner: owner, with: draft, if: condition)
            return TableAnswers.row(.ok, row)
        }
    }

    @Sendable private func delete(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await TableAnswers.answering(context) {
            let (table, caller, owner) = try await admitted(.delete, request, context)
            guard let id = try id(context) else {
                return TableAnswers.refusal(.notFound, "The item does not exist", context)
            }
            let condition = try condition(request)
            try await hooks.permit(.delete, of: id, in: table, by: caller, request)
            let row = try await store.delete(id, of: table, owner: owner, if: condition)
            return TableAnswers.row(.ok, row)
        }
    }

    // MARK: Parts of a request

    /// The table that is meant, who asks, and whose rows he works on.
    private func admitted(
        _ verb: TableDefinition.Verb,
        _ request: Request,
        _ context: HTTPContext
    ) async throws -> (TableDefinition, Caller?, owner: String) {
        let visitor = try await check.visitor(request)
        try ProtocolVersion.check(request)
        let name = try context.parameters.require("table").lowercased()
        guard let table = tables.first(where: { $0.name.lowercased() == name }) else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such table")
        }
        return (table, visitor.caller, try Permission(table: table, verb: verb).owner(visitor))
    }

    /// The id of the address; nil if no row can have it.
    private func id(_ context: HTTPContext) throws -> RowID? {
        try context.parameters.require("id").removingPercentEncoding.flatMap { RowID($0) }
    }

    private func members(_ request: Request, _ context: HTTPContext) async throws -> [String: TableValue] {
        try JSONBody.checkType(request)
        return try RowJSON.members(try await request.body.collect(upTo: context.maxUploadSize))
    }

    private func condition(_ request: Request) throws -> VersionCondition {
        guard let field = request.headers[.ifMatch] else { return .none }
        guard let condition = VersionCondition(ifMatch: field) else {
            throw TableProblem(message: "If-Match is not a quoted version")
        }
        return condition
    }

    private func idempotencyKey(_ request: Request) throws -> UUID? {
        guard let field = HTTPField.Name("Idempotency-Key").flatMap({ request.headers[$0] }) else { return nil }
        let text = field.hasPrefix("\"") && field.hasSuffix("\"") ? String(field.dropFirst().dropLast()) : field
        guard let key = UUID(uuidString: text) else {
            throw TableProblem(message: "Idempotency-Key is not a UUID")
        }
        return key
    }
}
