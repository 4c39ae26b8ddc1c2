import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth
import Tables

/// Calls hooks before operations run, outside of transactions because a hook can take seconds.
struct TableHooks: Sendable {
    let client: HookClient

    /// Calls the table's hook, and returns the draft with the hook's changes, checked against the table's rules.
    ///
    /// The hook can set the text id of a new row. It cannot change the id of the row `id`, which is `nil` for a new row.
    ///
    /// - Throws: `HTTPProblem` with the hook's message if the hook rejects the operation, 502 if its response is not
    ///   valid.
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
            let changed = try draft.changed(by: try changes.tableValues(), in: table)
            let isAllowed = id.map { changed.id == nil || changed.id == $0 } ?? (changed.id?.number == nil)
            guard isAllowed else { throw TableProblem(.idNotAllowed, column: "id") }
            return changed
        } catch {
            throw HookClient.broken(hook, "changes that violate a rule: \(error.message)")
        }
    }

    /// Calls the table's hook before an operation that writes no values.
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
        guard changes.isEmpty else { throw HookClient.broken(hook, "changes to an operation that writes nothing") }
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

    /// Returns the query parameters that the protocol does not define, with an array for a name that occurs repeatedly.
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
