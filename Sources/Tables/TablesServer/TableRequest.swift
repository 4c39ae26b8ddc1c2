import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import Tables
import TablesStore

struct TableRequest {
    let definition: TableDeclaration
    /// The owner of the rows that the request accesses, or an empty string for shared rows.
    let owner: String
    let identity: BearerIdentity?
    let dialect: Query.Dialect
    let options: RequestOptions
    var metrics: TableMetrics?
    /// The system columns that a request in version 1 of the protocol selects, or `nil` for the default.
    private let shown: Set<String>?

    init(
        _ definition: TableDeclaration,
        _ owner: String,
        _ identity: BearerIdentity?,
        _ dialect: Query.Dialect,
        _ request: Request
    ) throws {
        self.definition = definition
        self.owner = owner
        self.identity = identity
        self.dialect = definition.compatibility == .v1 ? .v1 : dialect
        options = try RequestOptions(request.uri.query)
        let shown = try options["__systemproperties"].map { try SystemProperties(parsing: $0).names }
        self.shown = definition.compatibility == .v1 ? shown : nil
    }

    var format: RowFormat { RowFormat(definition, shown: shown) }

    var isV1: Bool { definition.compatibility == .v1 }

    /// Returns the format for a row after `draft` was written, including the columns that the draft added to the table.
    func format(after draft: RowDraft, in store: TablesStore) -> RowFormat {
        guard !draft.added.isEmpty, let wider = store.table(definition.name) else { return format }
        return RowFormat(wider, shown: shown)
    }

    func id(_ context: HTTPContext) throws(HTTPProblem) -> RowID? {
        definition.idKind.id(try context.segment("id"))
    }

    /// Parses the request's preconditions on the stored row (RFC 9110 §13.1).
    ///
    /// - Throws: `RequestProblem` for malformed fields, or for several tags in `If-Match` in version 1 of the protocol.
    func preconditions(_ request: Request) throws(RequestProblem) -> Preconditions {
        var conditions = Preconditions.none
        if let field = request.headers[.ifMatch] {
            guard let match = VersionCondition(ifMatch: field) else {
                throw RequestProblem(Text("row.notQuoted", ["field": "If-Match"]))
            }
            if isV1, case .oneOf(let versions) = match, versions.count > 1 {
                throw RequestProblem(Text("row.severalVersions"))
            }
            conditions.match = match
        }
        if let field = request.headers[.ifNoneMatch] {
            guard let noneMatch = VersionCondition(ifNoneMatch: field) else {
                throw RequestProblem(Text("row.notQuoted", ["field": "If-None-Match"]))
            }
            conditions.noneMatch = noneMatch
        }
        return conditions
    }

    /// Parses the query of a request for one row, and rejects options that only lists support.
    func lookUpQuery(_ request: Request) throws -> Query {
        for name in ["$orderby", "$inlinecount", "$count", "$skip", "$top"] where options[name] != nil {
            throw RequestProblem(Text("row.optionOfLists", ["name": name]))
        }
        return try Query(url: request.uri.query, dialect: dialect)
    }

    /// Returns the `Location` field for a new row, which version 2 of the protocol does not have.
    func location(_ row: TableRow, _ origin: ServerOrigin, _ request: Request) -> HTTPFields {
        guard dialect != .v2 else { return [:] }
        return [.location: "\(origin.of(request))/tables/\(definition.name)/\(RequestPath.encoded(row.id.text))"]
    }
}

extension ReadClient {
    /// Returns a client whose long reads count against the user, or against the peer's address if there is no token.
    static func of(_ context: HTTPContext, _ identity: BearerIdentity?) -> ReadClient {
        ReadClient(
            share: { identity?.owner ?? context.peerName },
            untilGone: { await context.client.untilClosed() },
            fits: { [room = context.room] in room?.fits($0) ?? true }
        )
    }
}

/// The scheme and host under which clients reach this server, for links in responses.
public struct ServerOrigin: Hashable, Sendable {
    private let scheme: String

    /// Creates an origin, where `isSecure` means that clients connect over TLS to this server or its proxy.
    public init(isSecure: Bool) {
        scheme = isSecure ? "https" : "http"
    }

    /// Returns the origin that `request` was sent to, whose host has already been checked.
    func of(_ request: Request) -> String { "\(scheme)://\(request.head.authority ?? "localhost")" }
}

/// The protocol version that a client specifies in `ZUMO-API-VERSION`.
enum ProtocolVersion {
    /// Returns the query dialect of the request's protocol version, or throws a 400 error for an unsupported version.
    static func dialect(_ request: Request) throws(HTTPProblem) -> Query.Dialect {
        let field = name.flatMap { request.headers[$0] }
        let option = request.uri.queryParameters.first { $0.key.lowercased() == "zumo-api-version" }
        guard let version = field ?? option.map({ String($0.value) }) else { return .v2 }
        if isSpoken(version) { return version.hasPrefix("3") ? .v3 : .v2 }
        throw HTTPProblem(.badRequest, code: "invalid_request", Text("tables.unknownVersion"))
    }

    private static let name = HTTPField.Name("ZUMO-API-VERSION")

    private static func isSpoken(_ version: String) -> Bool {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "2" || parts[0] == "3", parts[1] == "0" else { return false }
        return !parts[2].isEmpty && parts[2].utf8.count <= 9 && parts[2].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
