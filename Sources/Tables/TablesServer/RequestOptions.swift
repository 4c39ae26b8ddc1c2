import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Tables

/// The query parameters of a request that is not for a list; unknown names that begin like the protocol's own are
/// refused.
struct RequestOptions {
    /// The protocol's own names, in lower case.
    private static let known: Set<String> = [
        "$filter", "$orderby", "$skip", "$top", "$select", "$inlinecount", "$count", "__includedeleted",
        "__systemproperties",
    ]

    private let pairs: [(name: String, value: String, raw: Substring)]

    /// Reads the parameters.
    ///
    /// - Throws: `RequestProblem` if the query is not percent-encoded UTF-8, and for a name that begins with `$` or `__`
    ///   and is none of the protocol's.
    init(_ query: String?) throws(RequestProblem) {
        var pairs: [(name: String, value: String, raw: Substring)] = []
        for raw in (query ?? "").split(separator: "&") {
            let halves = raw.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = halves.map(PercentCoding.decoded)
            guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else {
                throw RequestProblem(QueryProblem.Reason.notUTF8.said.text)
            }
            let isReserved = name.hasPrefix("$") || name.hasPrefix("__")
            guard !isReserved || Self.known.contains(name.lowercased()) else {
                throw RequestProblem(QueryProblem.Reason.reservedParameter(String(name.prefix(64))).said.text)
            }
            pairs.append((name, value, raw))
        }
        self.pairs = pairs
    }

    /// The value of the first parameter of that name in lower case.
    subscript(_ name: String) -> String? { pairs.first { $0.name.lowercased() == name }?.value }

    /// Refuses options of the protocol that the address does not support.
    ///
    /// - Throws: `RequestProblem` that names the first option that is not in `allowed`, whose names are in lower case.
    func check(allowed: Set<String>, at path: String) throws(RequestProblem) {
        for (name, _, _) in pairs where name.hasPrefix("$") || name.hasPrefix("__") {
            guard !allowed.contains(name.lowercased()) else { continue }
            guard !allowed.isEmpty else {
                throw RequestProblem(Text("row.optionOfTables", ["name": name, "path": path]))
            }
            let known = Text.and(allowed.sorted())
            throw RequestProblem(Text("row.otherOptions", ["name": name, "path": path, "known": known]))
        }
    }

    /// The parameters as they stood in the address, without those of `names` in lower case.
    func without(_ names: Set<String>) -> [String] {
        pairs.filter { !names.contains($0.name.lowercased()) }.map { String($0.raw) }
    }
}
