import HTTPTypes
import OAuth
import Tables

struct OpenAPITable {
    let table: TableDeclaration

    static let error: JSONValue = [
        "type": "object",
        "properties": [
            "code": ["type": "integer"], "error": ["type": "string"], "column": ["type": "string"],
            "position": ["type": "integer"], "correlationId": ["type": "string"], "key": ["type": "string"],
            "parameters": ["type": "object"],
        ],
        "required": ["code", "error"],
    ]

    // MARK: Operations

    /// Returns the operation object of a route, or `nil` if the table does not allow the operation.
    func operation(_ method: HTTPRequest.Method, _ path: String) -> JSONValue? {
        let isOne = path.hasSuffix("/{id}")
        let (verb, summary): (TableDeclaration.Verb, String) =
            switch (method, isOne) {
            case (.get, false): (.read, "Lists rows of \(table.name).")
            case (.get, true): (.read, "Returns a row of \(table.name).")
            case (.post, false): (.insert, "Inserts a row into \(table.name).")
            case (.post, true): (.update, "Restores a deleted row of \(table.name).")
            case (.delete, false): (.delete, "Deletes the rows of \(table.name) that match a filter.")
            case (.delete, true): (.delete, "Deletes a row of \(table.name).")
            case (.put, _): (.update, "Replaces a row of \(table.name).")
            default: (.update, "Updates a row of \(table.name).")
            }
        guard table.access(verb) != .disabled else { return nil }
        var parameters = [
            OpenAPIPart.parameter("ZUMO-API-VERSION", "header", ["type": "string"], "2.0.0 or 3.0.0.")
        ]
        if isOne { parameters.append(OpenAPIPart.parameter("id", "path", idType, "The row's id.")) }
        if !isOne, method == .get || method == .delete { parameters += Self.options(isList: method == .get) }
        if isOne || method == .patch || method == .post {
            parameters.append(
                OpenAPIPart.parameter("If-Match", "header", ["type": "string"], "The row's version in quotes, or `*`.")
            )
        }
        if isOne, method == .get {
            parameters.append(
                OpenAPIPart.parameter("If-None-Match", "header", ["type": "string"], "Versions that the client has.")
            )
            parameters.append(Self.selection)
        }
        if isOne, method == .get || method == .put {
            let text = "Whether the row may be deleted, in 3.0.0. A replacement restores it."
            parameters.append(OpenAPIPart.parameter("__includeDeleted", "query", ["type": "boolean"], text))
        }
        if method == .post, !isOne {
            parameters.append(
                OpenAPIPart.parameter(
                    "Idempotency-Key",
                    "header",
                    ["type": "string", "format": "uuid"],
                    "If an insert is repeated with this key, it has no further effect."
                )
            )
        }
        var operation: [String: JSONValue] = [
            "summary": .string(summary), "parameters": .array(parameters), "tags": [.string(table.name)],
            "responses": .object(responses(method, isOne)), "security": security(verb),
        ]
        if hasBody(method, isOne) {
            let schema = OpenAPIPart.reference("\(table.name).\(method == .patch ? "update" : "insert")")
            operation["requestBody"] = ["required": true, "content": ["application/json": ["schema": schema]]]
        }
        return .object(operation)
    }

    private func hasBody(_ method: HTTPRequest.Method, _ isOne: Bool) -> Bool {
        method == .put || method == .patch || (method == .post && !isOne)
    }

    private func responses(_ method: HTTPRequest.Method, _ isOne: Bool) -> [String: JSONValue] {
        let row = OpenAPIPart.reference(table.name)
        var all: [String: JSONValue] = [
            "400": OpenAPIPart.refusal("The request is not valid."), "401": OpenAPIPart.refusal("Not authenticated."),
            "403": OpenAPIPart.refusal("The token does not grant access."),
        ]
        if table.hook != nil { all["502"] = OpenAPIPart.refusal("The table's hook sent no valid response.") }
        if isOne || method == .patch { all["404"] = OpenAPIPart.refusal("The row does not exist.") }
        if method == .get, !isOne {
            let list: JSONValue = ["type": "array", "items": row]
            let counted: JSONValue = [
                "type": "object",
                "properties": [
                    "results": list, "items": list, "count": ["type": "integer"], "nextLink": ["type": "string"],
                ],
            ]
            all["200"] = OpenAPIPart.answer("The rows, with their count if requested.", ["oneOf": [list, counted]])
            all["410"] = OpenAPIPart.refusal("The records of deleted rows are no longer stored. Pull all rows again.")
            return all
        }
        if method == .get {
            all["200"] = OpenAPIPart.answer("The row.", row)
            all["304"] = OpenAPIPart.answer("The client has the current version.")
            all["410"] = OpenAPIPart.refusal("The row was deleted, in version 3.0.0. Other versions send 404.")
            all["412"] = OpenAPIPart.answer("The version differs. Returns the stored row.", row)
            return all
        }
        let status: String
        switch method {
        case .post: status = isOne && table.compatibility == .v1 ? "200" : "201"
        case .delete: status = table.compatibility == .v1 ? "204" : "200"
        default: status = "200"
        }
        guard isOne || method != .delete else {
            let rows: JSONValue = ["type": "array", "items": row]
            all[status] = status == "204" ? OpenAPIPart.answer("Done.") : OpenAPIPart.answer("The rows.", rows)
            return all
        }
        all[status] = status == "204" ? OpenAPIPart.answer("Done.") : OpenAPIPart.answer("The row.", row)
        if method == .post, !isOne {
            all["422"] = OpenAPIPart.refusal("The Idempotency-Key was used for a different row.")
        }
        if isOne, method != .post {
            all["410"] = OpenAPIPart.refusal("The row was deleted, in version 3.0.0. Other versions send 409.")
        }
        if isOne, method == .delete, status == "200" {
            all["204"] = OpenAPIPart.answer("The row was deleted, in version 3.0.0.")
        }
        if hasBody(method, isOne) { all["413"] = OpenAPIPart.refusal("The row or the body is too long.") }
        all["409"] = OpenAPIPart.answer("The row exists. Returns the stored row.", row)
        all["412"] = OpenAPIPart.answer(
            "The version differs, or the row was deleted. Returns the stored row, if any.",
            row
        )
        return all
    }

    private func security(_ verb: TableDeclaration.Verb) -> JSONValue {
        switch table.access(verb) {
        case .anonymous: table.isPerUser ? OpenAPIPart.token : []
        case .application: [["application": []], ["master": []]]
        case .admin: [["master": []], ["bearer": []], ["zumo": []]]
        case .authenticated, .disabled: OpenAPIPart.token
        }
    }

    private static let selection = OpenAPIPart.parameter(
        "$select",
        "query",
        ["type": "string"],
        "Columns, separated by commas."
    )

    private static func options(isList: Bool) -> [JSONValue] {
        let text: JSONValue = ["type": "string"]
        let filter = OpenAPIPart.parameter("$filter", "query", text, "Selects rows with an OData filter.")
        guard isList else { return [filter] }
        return [
            filter,
            OpenAPIPart.parameter("$orderby", "query", text, "Columns, each with `asc` or `desc`."),
            selection,
            OpenAPIPart.parameter("$inlinecount", "query", ["enum": ["allpages", "none"]], "Whether to count rows."),
            OpenAPIPart.parameter("$count", "query", ["type": "boolean"], "Whether to count the rows, in 3.0.0."),
            OpenAPIPart.parameter("__includeDeleted", "query", ["type": "boolean"], "Whether to include deleted rows."),
        ] + paging
    }

    static let paging = [
        OpenAPIPart.parameter("$top", "query", ["type": "integer", "minimum": 0], "Maximum total number of rows."),
        OpenAPIPart.parameter("$skip", "query", ["type": "integer", "minimum": 0], "The number of rows to skip."),
    ]

    // MARK: Schemas

    var row: JSONValue {
        let prefix = table.compatibility == .v1 ? "__" : ""
        let date: JSONValue = ["type": "string", "format": "date-time", "readOnly": true]
        var properties = self.properties
        properties["id"] = idType
        properties["\(prefix)createdAt"] = date
        properties["\(prefix)updatedAt"] = date
        properties["\(prefix)version"] = ["type": "string"]
        properties["\(prefix)deleted"] = ["type": "boolean", "readOnly": true]
        return ["type": "object", "properties": .object(properties), "additionalProperties": .bool(table.isDynamic)]
    }

    func draft(isInsert: Bool) -> JSONValue {
        var properties = self.properties
        for column in table.columns where column.isSetByServer { properties[column.name] = nil }
        properties["id"] = idType
        properties["version"] = ["type": "string"]
        var schema: [String: JSONValue] = [
            "type": "object", "properties": .object(properties), "additionalProperties": .bool(table.isDynamic),
        ]
        let required = table.columns.filter { $0.isRequired && $0.defaultValue == nil && properties[$0.name] != nil }
        if isInsert, !required.isEmpty { schema["required"] = .array(required.map { .string($0.name) }) }
        return .object(schema)
    }

    private var properties: [String: JSONValue] {
        Dictionary(table.columns.map { ($0.name, Self.schema($0)) }) { first, _ in first }
    }

    private var idType: JSONValue {
        table.idKind == .integer
            ? ["type": "integer", "minimum": 1] : ["type": "string", "maxLength": .int(Int64(RowID.maxLength))]
    }

    private static func schema(_ column: TableColumn) -> JSONValue {
        var schema: [String: JSONValue] = [:]
        let type: JSONValue = column.type == .date ? "string" : .string(column.type.rawValue)
        schema["type"] = column.isRequired ? type : [type, "null"]
        switch column.type {
        case .string:
            if column.minLength > 0 { schema["minLength"] = .int(Int64(column.minLength)) }
            schema["maxLength"] = .int(Int64(column.maxLength))
            // A JSON Schema pattern matches any part of a string, but a column's pattern must match the whole string.
            schema["pattern"] = column.pattern.map { .string("^(?:\($0))$") }
        case .number:
            schema["minimum"] = column.min.map { RowJSON.value(.number($0)) }
            schema["maximum"] = column.max.map { RowJSON.value(.number($0)) }
        case .date: schema["format"] = "date-time"
        case .boolean: break
        }
        if !column.allowed.isEmpty {
            schema["enum"] = .array(column.allowed.map(RowJSON.value) + (column.isRequired ? [] : [.null]))
        }
        schema["default"] = column.defaultValue.map(RowJSON.value)
        if column.isSetByServer { schema["readOnly"] = true }
        return .object(schema)
    }
}
