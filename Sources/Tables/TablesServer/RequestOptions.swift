import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Tables

/// The query parameters of a request, in which unknown names that begin with `$` or `__` are rejected.
struct RequestOptions {
    private static let known: Set<String> = [
        "$filter", "$orderby", "$skip", "$top", "$select", "$inlinecount", "$count", "__includedeleted",
        "__systemproperties",
    ]

    private let pairs: [(name: String, value: String, raw: Substring)]

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

    /// The value of the first parameter with this name (in lower case), or `nil` if the request has no such parameter.
    subscript(_ name: String) -> String? { pairs.first { $0.name.lowercased() == name }?.value }

    /// Throws an error if the name of a parameter begins with `$` or `__` and is not in `allowed` (in lower case).
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

    /// Returns the parameters as written in the URL, without those in `names` (in lower case).
    func without(_ names: Set<String>) -> [String] {
        pairs.filter { !names.contains($0.name.lowercased()) }.map { String($0.raw) }
    }
}
