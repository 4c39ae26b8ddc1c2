import HTTPServer
import HTTPTypes
import Hummingbird
import Tables
import TablesStore

/// An authorized request to a table: its owner, dialect and options, and the format of its answer.
struct TableRequest {
    let definition: TableDeclaration
    /// The owner of the rows that the request works on; empty for shared rows.
    let owner: String
    let identity: BearerIdentity?
    let dialect: Query.Dialect
    let options: RequestOptions
    /// The table's counters.
    var metrics: TableMetrics?
    /// The system columns that a request of protocol version 1 asked for.
    private let shown: Set<String>?

    /// - Throws: `TableProblem` and `QueryProblem` for parameters that are not valid.
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

    /// The format of single rows.
    var format: RowFormat { RowFormat(definition, shown: shown) }

    /// True if the table's clients speak version 1 of the protocol.
    var isV1: Bool { definition.compatibility == .v1 }

    /// Returns the format of a row after `draft` was written, which may have added columns.
    func format(after draft: RowDraft, in store: TablesStore) -> RowFormat {
        guard !draft.added.isEmpty, let wider = store.table(definition.name) else { return format }
        return RowFormat(wider, shown: shown)
    }

    /// Returns the row id in the address; nil if it is not a valid one.
    func id(_ context: HTTPContext) throws(HTTPProblem) -> RowID? {
        definition.id(try context.segment("id"))
    }

    /// Reads the request's preconditions on the stored row (RFC 9110 §13.1).
    ///
    /// - Throws: `TableProblem` for malformed fields, and in version 1 of the protocol for several tags.
    func preconditions(_ request: Request) throws(TableProblem) -> Preconditions {
        var conditions = Preconditions.none
        if let field = request.headers[.ifMatch] {
            guard let match = VersionCondition(ifMatch: field) else {
                throw TableProblem(message: "If-Match is not a quoted version")
            }
            if isV1, case .oneOf(let versions) = match, versions.count > 1 {
                throw TableProblem(message: "If-Match may have one version only")
            }
            conditions.match = match
        }
        if let field = request.headers[.ifNoneMatch] {
            guard let noneMatch = VersionCondition(ifNoneMatch: field) else {
                throw TableProblem(message: "If-None-Match is not a quoted version")
            }
            conditions.noneMatch = noneMatch
        }
        return conditions
    }

    /// Reads the columns that a look-up selects.
    ///
    /// - Throws: `TableProblem` for options that only lists have.
    func lookUpQuery(_ request: Request) throws -> Query {
        for name in ["$orderby", "$inlinecount", "$count", "$skip", "$top"] where options[name] != nil {
            throw TableProblem(message: "\(name) is for lists, and the address names one row")
        }
        return try Query(url: request.uri.query, dialect: dialect)
    }

    /// Returns the `Location` of a new row in version 1 of the protocol, and no field otherwise.
    func location(_ row: TableRow, _ origin: ServerOrigin, _ request: Request) -> HTTPFields {
        guard isV1 else { return [:] }
        return [.location: "\(origin.of(request))/tables/\(definition.name)/\(RequestPath.encoded(row.id.text))"]
    }
}
