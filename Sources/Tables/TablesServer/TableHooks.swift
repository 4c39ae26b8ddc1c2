import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth
import Tables

/// Asks the hooks of tables before operations run; the caller may hold no transaction meanwhile.
struct TableHooks: Sendable {
    let client: HookClient

    /// Returns the row to write: the draft, with the changes that the hook of `table` makes.
    ///
    /// - Parameters:
    ///   - draft: The row as the client sent it, checked.
    ///   - operation: `insert` or `update`.
    ///   - id: The row id in the address.
    ///   - table: The table.
    ///   - identity: The person who sent the request; nil if there is none.
    ///   - request: The request, whose query holds the custom parameters.
    /// - Returns: A draft that has been checked.
    /// - Throws: `HTTPProblem` with the hook's refusal; 502 if the hook's answer is not valid.
    func draft(
        _ draft: RowDraft,
        before operation: TableHook.Operation,
        of id: RowID? = nil,
        in table: TableDeclaration,
        by identity: BearerIdentity?,
        _ request: Request
    ) async throws -> RowDraft {
        guard let hook = table.hook, hook.operations.contains(operation) else { return draft }
        var item = draft.values.mapValues(RowJSON.value)
        item["id"] = (id ?? draft.id).map(Self.json)
        let changes = try await client.ask(hook, question(operation, item, table, identity, request))
        do throws(TableProblem) {
            return try draft.changed(by: try changes.tableValues(), in: table)
        } catch {
            throw HookClient.broken(hook, "changes that break a rule: \(error.message)")
        }
    }

    /// Asks the hook of `table` to permit an operation that writes no values.
    ///
    /// - Throws: As ``draft(_:before:of:in:by:_:)``.
    func permit(
        _ operation: TableHook.Operation,
        of id: RowID? = nil,
        in table: TableDeclaration,
        by identity: BearerIdentity?,
        _ request: Request
    ) async throws {
        guard let hook = table.hook, hook.operations.contains(operation) else { return }
        let item: [String: JSONValue] = id.map { ["id": Self.json($0)] } ?? [:]
        let changes = try await client.ask(hook, question(operation, item, table, identity, request))
        guard changes.isEmpty else { throw HookClient.broken(hook, "changes where nothing is written") }
    }

    private func question(
        _ operation: TableHook.Operation,
        _ item: [String: JSONValue],
        _ table: TableDeclaration,
        _ identity: BearerIdentity?,
        _ request: Request
    ) -> JSONValue {
        [
            "table": .string(table.name), "operation": .string(operation.rawValue), "item": .object(item),
            "claims": .object(identity?.claims ?? [:]), "parameters": .object(Self.parameters(request.uri.query)),
        ]
    }

    private static func json(_ id: RowID) -> JSONValue { id.number.map { .int($0) } ?? .string(id.text) }

    /// The query parameters that are not the protocol's; a repeated name becomes a list.
    private static func parameters(_ query: String?) -> [String: JSONValue] {
        var values: [String: [JSONValue]] = [:]
        for pair in (query ?? "").split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentCoding.decoded($0) ?? "" }
            let name = halves[0]
            guard !name.isEmpty, !name.hasPrefix("$"), !name.hasPrefix("__"), name.lowercased() != "zumo-api-version"
            else { continue }
            values[name, default: []].append(.string(halves.count > 1 ? halves[1] : ""))
        }
        return values.mapValues { $0.count == 1 ? $0[0] : .array($0) }
    }
}

extension [String: JSONValue] {
    /// The members as table values.
    fileprivate func tableValues() throws(TableProblem) -> [String: TableValue] {
        var values: [String: TableValue] = [:]
        for (name, value) in self {
            switch value {
            case .null: values[name] = .null
            case .bool(let flag): values[name] = .boolean(flag)
            case .int(let number): values[name] = .number(Double(number))
            case .double(let number): values[name] = .number(number)
            case .string(let text): values[name] = .string(text)
            case .array, .object: throw TableProblem(.listOrObject(name), column: name)
            }
        }
        return values
    }
}
