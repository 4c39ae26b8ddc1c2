import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import TablesStore

/// The options of an address: what part of a list is wanted.
struct TableQuery {
    /// Rows of a page where the address does not say.
    static let defaultPage = 50

    /// How many rows are wanted in all; nil for as many as there are.
    let top: Int?
    /// How many rows come before them.
    let skip: Int
    /// The other parameters as they stood in the address.
    private let others: [Substring]

    /// Reads the options of a list.
    ///
    /// - Throws: `HTTPProblem` 400 that names what is wrong or not supported.
    init(_ query: String?) throws(HTTPProblem) {
        var top: Int?
        var skip = 0
        var others: [Substring] = []
        for part in (query ?? "").split(separator: "&") {
            let (name, value) = try Self.pair(part)
            switch name {
            case "$top": top = try Self.number(value, name, upTo: TablesStore.maxPage)
            case "$skip": skip = try Self.number(value, name, upTo: Int(Int32.max))
            default:
                try Self.refuseReserved(name)
                others.append(part)
            }
        }
        self.top = top
        self.skip = skip
        self.others = others
    }

    /// Makes sure that an address that is not a list's has no options.
    static func refuseOptions(_ query: String?) throws(HTTPProblem) {
        for part in (query ?? "").split(separator: "&") { try refuseReserved(try pair(part).name) }
    }

    /// Rows of this page.
    var limit: Int { top.map { min($0, Self.defaultPage) } ?? Self.defaultPage }

    /// The address of what comes after this page, or nil if nothing more is wanted.
    ///
    /// - Parameters:
    ///   - returned: How many rows this page has.
    ///   - origin: Scheme and host as the client knows them.
    ///   - path: The list's path.
    /// - Returns: An absolute address.
    func next(after returned: Int, origin: String, path: String) -> String? {
        let rest = top.map { $0 - returned }
        if let rest, rest <= 0 { return nil }
        let paging = (rest.map { ["$top=\($0)"] } ?? []) + ["$skip=\(skip + returned)"]
        return "\(origin)\(path)?" + (paging + others.map(String.init)).joined(separator: "&")
    }

    private static func pair(_ part: Substring) throws(HTTPProblem) -> (name: String, value: String) {
        let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let texts = halves.map { $0.replacing("+", with: " ").removingPercentEncoding }
        guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else {
            throw refusal("the query is not percent-encoded UTF-8")
        }
        return (name, value)
    }

    private static func number(_ text: String, _ name: String, upTo limit: Int) throws(HTTPProblem) -> Int {
        guard let number = Int(text), number >= 0 else { throw refusal("\(name) is not a number of rows") }
        guard number <= limit else { throw refusal("You cannot request more than \(limit) records") }
        return number
    }

    private static func refuseReserved(_ name: String) throws(HTTPProblem) {
        guard name.hasPrefix("$") || name.hasPrefix("__") else { return }
        throw refusal("\(name.prefix(64)) is not supported by this version")
    }

    private static func refusal(_ message: String) -> HTTPProblem {
        HTTPProblem(.badRequest, code: "invalid_request", message: message)
    }
}
