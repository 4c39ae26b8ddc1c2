import HTTPServer
import HTTPTypes
import Hummingbird
import Tables
import TablesStore

/// One request to a table that was admitted: what is meant, and how the answer is written.
struct TableRequest {
    let definition: TableDeclaration
    /// Whose rows are meant.
    let owner: String
    let caller: Caller?
    let dialect: Query.Dialect
    let options: RequestOptions
    /// Where the rows of the table are counted.
    var metrics: TableMetrics?
    /// The system columns that the first version of the protocol was asked for.
    private let shown: Set<String>?

    /// - Throws: `TableProblem` and `QueryProblem` for parameters that are out of rule.
    init(
        _ definition: TableDeclaration,
        _ owner: String,
        _ caller: Caller?,
        _ dialect: Query.Dialect,
        _ request: Request
    ) throws {
        self.definition = definition
        self.owner = owner
        self.caller = caller
        self.dialect = definition.compatibility == .v1 ? .v1 : dialect
        options = try RequestOptions(request.uri.query)
        let shown = try options["__systemproperties"].map { try SystemProperties(parsing: $0).names }
        self.shown = definition.compatibility == .v1 ? shown : nil
    }

    /// How single rows are written.
    var format: RowFormat { RowFormat(definition, shown: shown) }

    /// Whether the table's clients speak the protocol's first version.
    var isV1: Bool { definition.compatibility == .v1 }

    /// How a row is written after `draft` was, which may have made columns.
    func format(after draft: RowDraft, in store: TablesStore) -> RowFormat {
        guard !draft.added.isEmpty, let wider = store.table(definition.name) else { return format }
        return RowFormat(wider, shown: shown)
    }

    /// The id of the address; nil if no row can have it.
    func id(_ context: HTTPContext) throws(HTTPProblem) -> RowID? {
        definition.id(try context.segment("id"))
    }

    /// What the request demands of the row that is there (RFC 9110 §13.1).
    ///
    /// - Throws: `TableProblem` for fields that are malformed, and in the first version of the protocol for several tags.
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

    /// What of a row is wanted.
    ///
    /// - Throws: `TableProblem` for options that only a list has.
    func lookUpQuery(_ request: Request) throws -> Query {
        for name in ["$orderby", "$inlinecount", "$count", "$skip", "$top"] where options[name] != nil {
            throw TableProblem(message: "\(name) is for lists, and the address names one row")
        }
        return try Query(url: request.uri.query, dialect: dialect)
    }

    /// Where a new row is, which the first version of the protocol says.
    func location(_ row: TableRow, _ origin: ServerOrigin, _ request: Request) -> HTTPFields {
        guard isV1 else { return [:] }
        return [.location: "\(origin.of(request))/tables/\(definition.name)/\(RequestPath.encoded(row.id.text))"]
    }
}
