import Foundation
import OAuth
import TestSupport
import Testing

@testable import Authority

/// Compares the tables of checks in docs/authority.md with the source.
///
/// Set `TOKENBROKER_WRITE_DOCS=1` to regenerate the tables.
///
/// Each row of a table is a check, in the order of the source. Each column is an endpoint or a grant. A mark means that
/// the functions that parse the column's requests call the check.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct CheckTableDocumentationTests {
    private let sources = Result { try CheckSources() }

    /// Returns a Markdown table with a row for each check and a column for each endpoint or grant.
    private func table(_ lists: [String], _ columns: [(name: String, functions: [String])]) throws -> String {
        let sources = try sources.get()
        let columns = try columns.map { (name: $0.name, calls: try $0.functions.flatMap(sources.calls)) }
        var lines = ["| check | " + columns.map(\.name).joined(separator: " | ") + " |"]
        lines.append("|---|" + String(repeating: ":-:|", count: columns.count))
        for check in try lists.flatMap(sources.checks) {
            let marks = columns.map { $0.calls.contains(check.name) ? "x" : "" }
            lines.append("| \(check.rule) | " + marks.joined(separator: " | ") + " |")
        }
        return "\n" + lines.joined(separator: "\n") + "\n\n"
    }

    private func compare(_ mark: String, _ table: String) throws {
        let url = ProjectFolder.url.appending(path: "docs/authority.md")
        let text = try String(contentsOf: url, encoding: .utf8)
        let begin = try #require(text.range(of: "<!-- begin \(mark) -->\n"))
        let end = try #require(text.range(of: "<!-- end -->", range: begin.upperBound..<text.endIndex))
        if ProcessInfo.processInfo.environment["TOKENBROKER_WRITE_DOCS"] == "1" {
            let whole = text[..<begin.upperBound] + table + text[end.lowerBound...]
            try String(whole).write(to: url, atomically: true, encoding: .utf8)
        } else {
            #expect(String(text[begin.upperBound..<end.lowerBound]) == table)
        }
    }

    /// Each endpoint's name in the table, and the functions that parse the requests to that endpoint.
    private static let endpoints: [(name: String, functions: [String])] = [
        ("authorize", ["AuthorizationEndpoint.request"]),
        ("par", ["ProgramCall.open", "TokenProtocol+PushedRequests.push", "AuthorizationEndpoint.request"]),
        ("token", ["ProgramCall.open", "TokenProtocol.token"]),
        ("devicecode", ["ProgramCall.open", "TokenProtocol+DeviceAuthorization.authorizeDevice"]),
        ("revoke", ["ProgramCall.open", "TokenProtocol+Revocation.revoke"]),
        ("introspect", ["ProgramCall.open", "TokenProtocol+Introspection.introspect"]),
        ("userinfo", ["TokenProtocol+Userinfo.userinfo"]),
        ("logout", ["LogoutEndpoint.request"]),
    ]

    private static let lists = ["ProgramChecks", "AuthorizeChecks", "UserinfoChecks", "LogoutChecks"]

    private static let grants: [(name: String, functions: [String])] = [
        ("authorization_code", ["AuthorizationCodeGrant.answer"]),
        ("refresh_token", ["RefreshTokenGrant+Wire.answer"]),
    ]

    @Test("docs/authority.md shows the checks of each endpoint as implemented") func endpoints() throws {
        try compare("checks by endpoint", try table(Self.lists, Self.endpoints))
    }

    @Test("each endpoint and each grant runs its checks once, in the order of their list") func order() throws {
        let sources = try sources.get()
        let columns = Self.endpoints.map { (Self.lists, $0) } + Self.grants.map { (["GrantChecks"], $0) }
        for (lists, column) in columns {
            let known = try lists.flatMap(sources.checks).map(\.name)
            let places = try column.functions.flatMap(sources.calls).compactMap(known.firstIndex(of:))
            #expect(!places.isEmpty && zip(places, places.dropFirst()).allSatisfy { $0 < $1 }, "\(column.name)")
        }
    }

    @Test("docs/authority.md shows the checks of each grant as implemented") func grants() throws {
        try compare("checks by grant", try table(["GrantChecks"], Self.grants))
    }

    @Test("docs/authority.md shows the checks that a request requires and those that were passed") func requests()
        throws
    {
        let sources = try sources.get()
        for (mark, list, functions) in [
            ("checks of requests", "RequestChecks", ["RequestChecks.resolved"]),
            (
                "checks of sessions", "SessionChecks",
                ["SessionChecks.answers", "SessionChecks.meets", "SessionChecks.proves"]
            ),
        ] {
            let checks = try sources.checks(list)
            #expect(try functions.flatMap(sources.calls) == checks.map(\.name))
            let rows = checks.enumerated().map { "\($0.offset + 1). \($0.element.rule)\n" }
            try compare(mark, "\n" + rows.joined() + "\n")
        }
    }
}

/// Finds checks, and the calls to them, in the authority's source files.
private struct CheckSources {
    private let files: [String: [String]]

    init() throws {
        let folder = ProjectFolder.url.appending(path: "Sources/Authority/Authority")
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var files: [String: [String]] = [:]
        while let file = found?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            files[file.deletingPathExtension().lastPathComponent] = text.components(separatedBy: "\n")
        }
        self.files = files
    }

    /// Returns all lines of the first declaration that starts with `head`, or `nil` if no declaration does.
    private static func block(_ head: String, in lines: [String]) -> ArraySlice<String>? {
        guard let first = lines.firstIndex(where: { $0.drop { $0 == " " }.hasPrefix(head) }) else { return nil }
        let indent = lines[first].prefix { $0 == " " }
        let last = lines[first...].firstIndex { $0 == indent + "}" }
        return last.map { lines[first...$0] }
    }

    /// Returns the name and the rule of each check in a list.
    ///
    /// The rule is the first paragraph of the check's comment.
    func checks(_ list: String) throws -> [(name: String, rule: String)] {
        let body = try #require(files.values.lazy.compactMap { Self.block("enum \(list) {", in: $0) }.first)
        var (checks, comment): ([(name: String, rule: String)], [Substring]) = ([], [])
        var isWhole = false
        for line in body {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("///") {
                if text == "///" { isWhole = true }
                if !isWhole { comment.append(text.dropFirst(4)) }
                continue
            }
            if line.hasPrefix("    static func ") {
                let name = text.dropFirst("static func ".count).prefix { $0 != "(" }
                let rule = comment.joined(separator: " ").replacing("``", with: "`").replacing("|", with: "\\|")
                checks.append((name: "\(list).\(name)", rule: rule))
            }
            (comment, isWhole) = ([], false)
        }
        return checks
    }

    /// Returns the names of the checks that a function calls, in order.
    ///
    /// `function` is the name of a file and of a function in that file, such as `TokenProtocol.token`.
    func calls(_ function: String) throws -> [String] {
        let parts = function.split(separator: ".").map(String.init)
        let lines = try #require(files[parts[0]])
        let heads = ["public func", "func", "static func"].map { "\($0) \(parts[1])(" }
        let body = try #require(heads.lazy.compactMap { Self.block($0, in: lines) }.first)
        return body.flatMap { line in
            line.matches(of: /\b([A-Z][A-Za-z]*Checks)\.([a-z][A-Za-z]*)\(/).map { "\($0.1).\($0.2)" }
        }
    }
}
