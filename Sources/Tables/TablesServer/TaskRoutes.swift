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

/// The routes under `/api/tasks`, which give simple clients access to the rows of `todoitem`.
struct TaskRoutes: Sendable {
    static let path = ["api", "tasks"]
    static let tablePath = ["tables", "todoitem"]

    let table: TableDeclaration
    let text: TableColumn
    let store: TablesStore
    let check: BearerCheck
    let protected: ProtectedPaths
    let hooks: TableHooks
    let origin: ServerOrigin
    let clock: MomentClock
    let metrics: TableMetrics?
    private let parsed = ParsedQueries()

    /// Creates the routes, or returns `nil` if no per-user table `todoitem` has the columns `text` and `complete`.
    init?(
        tables: [TableDeclaration],
        store: TablesStore,
        check: BearerCheck,
        protected: ProtectedPaths,
        hooks: TableHooks,
        origin: ServerOrigin,
        clock: MomentClock,
        metrics: [String: TableMetrics]
    ) {
        guard let table = tables.first(where: { ["tables", $0.name.lowercased()] == Self.tablePath }), table.isPerUser,
            let text = table.column("text"), text.type == .string, table.column("complete")?.type == .boolean
        else { return nil }
        self.table = table
        self.text = text
        self.store = store
        self.check = check
        self.protected = protected
        self.hooks = hooks
        self.origin = origin
        self.clock = clock
        self.metrics = metrics[table.name]
    }

    func add(to router: Router<HTTPContext>) {
        router.get("api/tasks", use: list)
        router.post("api/tasks", use: insert)
        router.delete("api/tasks/:id", use: delete)
        router.delete("api/tasks", use: deleteByText)
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.read, request, context, options: ["$skip", "$top"]) { identity in
            let list = try ListRequest(request, RequestOptions(request.uri.query), of: table, dialect: .v2, parsed)
            var query = Query()
            (query.top, query.skip) = (list.query.top, list.query.skip)
            try await hooks.permit(.read, in: table, by: identity, request)
            let page = try await store.rows(table, owner: identity.owner, query: query, for: .of(context, identity))
            metrics?.read.increment(by: page.rows.count)
            let headers = list.headers(page.rows.count, hasMore: page.hasMore, origin: origin.of(request))
            return TableAnswers.json(.ok, .array(page.rows.map { item($0, identity.oid) }), headers: headers)
        }
    }

    @Sendable private func insert(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.insert, request, context) { identity in
            let task = try await task(request, context)
            var draft = try RowDraft.insert([text.name: .string(task)], into: table) { source in
                switch source {
                case .oid: .string(identity.oid)
                case .now: .date(clock.now.wall)
                case .uuid: .string(RowID.random().text)
                }
            }
            draft = try await hooks.draft(draft, before: .insert, in: table, by: identity, request)
            let row = try await store.insert(draft, into: table, owner: identity.owner)
            metrics?.inserted.increment()
            return TableAnswers.json(.created, item(row, identity.oid))
        }
    }

    @Sendable private func delete(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.delete, request, context) { identity in
            guard let id = table.idKind.id(try context.segment("id")) else { return TableAnswers.absent(context) }
            try await hooks.permit(.delete, of: id, in: table, by: identity, request)
            do {
                _ = try await store.delete(id, of: table, owner: identity.owner)
                metrics?.deleted.increment()
                return Response(status: .noContent)
            } catch let error as TablesStoreError where error.code == .deleted {
                return TableAnswers.absent(context)
            }
        }
    }

    @Sendable private func deleteByText(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(.delete, request, context) { identity in
            let task = try await task(request, context)
            let row = try await store.only(whose: text, is: task, of: table, owner: identity.owner)
            try protected.require(table: table.name, id: row.id.text, of: identity)
            try await hooks.permit(.delete, of: row.id, in: table, by: identity, request)
            do {
                _ = try await store.delete(row.id, of: table, owner: identity.owner)
                metrics?.deleted.increment()
                return Response(status: .noContent)
            } catch let error as TablesStoreError where error.code == .deleted {
                return TableAnswers.absent(context)
            }
        }
    }

    /// Creates the response to an authorized request, within the user's memory limit for responses.
    private func answering(
        _ verb: TableDeclaration.Verb,
        _ request: Request,
        _ context: HTTPContext,
        options: Set<String> = [],
        _ body: (BearerIdentity) async throws -> Response
    ) async throws -> Response {
        try await TableRefusals.counting {
            try await TableAnswers.answering(context) {
                let identity = try await admitted(verb, request, context, options: options)
                return try await TableRoutes.within(context.room, verb, of: identity) { try await body(identity) }
            }
        }
    }

    /// Returns the request's user, or throws if the token is missing or a protocol option is not in `options`.
    private func admitted(
        _ verb: TableDeclaration.Verb,
        _ request: Request,
        _ context: HTTPContext,
        options: Set<String>
    ) async throws -> BearerIdentity {
        let sender = try await check.sender(request, context)
        _ = try Permission(table: table, verb: verb).owner(sender)
        guard let identity = sender.identity else { throw Permission.unauthorized }
        try RequestOptions(request.uri.query).check(allowed: options, at: "/api/tasks")
        return identity
    }

    /// Returns the task's description from the request body `{"task": …}`.
    private func task(_ request: Request, _ context: HTTPContext) async throws -> String {
        try JSONBody.checkType(request)
        let members = try RowJSON.members(try await request.body.collect(upTo: context.maxUploadSize))
        guard let task = members["task"]?.string, members.count == 1 else {
            throw RequestProblem(Text("row.notATask", ["form": #"{"task": TEXT}"#]), column: "task")
        }
        return task
    }

    private func item(_ row: TableRow, _ oid: String) -> JSONValue {
        [
            "id": .string(row.id.text), "task": .string(row.values[text.name]?.string ?? ""), "owner": .string(oid),
            "completed": .bool(row.values["complete"]?.boolean ?? false),
            "creationDate": .string(TableDate.text(row.createdAt)),
        ]
    }
}
