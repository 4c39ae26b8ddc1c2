import Foundation
import OAuth
import TestSupport
import Testing

@testable import Authority

/// The tables of checks in docs/authority.md; `TOKENBROKER_WRITE_DOCS=1` writes them anew.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct CheckTableDocumentationTests {
    /// The first paragraph of a check's comment, which is its rule.
    private func rule(of check: Any) throws -> String {
        let name = "\(type(of: check))"
        let files = FileManager.default.enumerator(
            at: ProjectFolder.url.appending(path: "Sources/Authority/Authority/Checks"),
            includingPropertiesForKeys: nil
        )
        while let file = files?.nextObject() as? URL {
            guard file.lastPathComponent == "\(name).swift" else { continue }
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let comment = lines.drop { !$0.hasPrefix("/// ") }.prefix { $0.hasPrefix("/// ") }
            let text = comment.map { $0.dropFirst(4) }.joined(separator: " ")
            return text.replacing("``", with: "`").replacing("|", with: "\\|")
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
    }

    /// A table of rules by columns.
    private func table<Column: Hashable>(
        _ columns: [(Column, String)],
        _ rows: [(check: Any, places: Set<Column>)]
    ) throws -> String {
        var lines = ["| check | " + columns.map(\.1).joined(separator: " | ") + " |"]
        lines.append("|---|" + String(repeating: ":-:|", count: columns.count))
        for row in rows {
            let marks = columns.map { row.places.contains($0.0) ? "x" : "" }
            lines.append("| \(try rule(of: row.check)) | " + marks.joined(separator: " | ") + " |")
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

    @Test("docs/authority.md shows the table of checks by endpoint as the endpoints make them") func endpoints() throws
    {
        let columns: [(AuthorityEndpoint, String)] = [
            (.authorize, "authorize"), (.pushedRequests, "par"), (.token, "token"),
            (.deviceAuthorization, "devicecode"), (.revocation, "revoke"), (.introspection, "introspect"),
            (.userinfo, "userinfo"), (.logout, "logout"),
        ]
        let rows = EndpointChecks.table.map { (check: $0.check as Any, places: $0.endpoints) }
        try compare("checks by endpoint", try table(columns, rows))
    }

    @Test("every row of the table is made at each endpoint that it names") func rows() {
        for endpoint in AuthorityEndpoint.allCases where endpoint != .keys {
            let named = EndpointChecks.table.filter { $0.endpoints.contains(endpoint) }.count
            let isRequest = [.authorize, .pushedRequests].contains(endpoint)
            let programs = EndpointChecks.ofPrograms[endpoint]?.count ?? 0
            let requests = isRequest ? EndpointChecks.ofAddresses.count : 0
            let parameters = EndpointChecks.ofParameters[endpoint]?.count ?? 0
            let others = endpoint == .userinfo ? EndpointChecks.ofBearers.count : 0
            let logout = endpoint == .logout ? EndpointChecks.ofLogout.count : 0
            #expect(programs + requests + parameters + others + logout == named, "\(endpoint)")
            #expect(named > 0, "\(endpoint)")
        }
    }

    @Test("docs/authority.md shows the table of checks by grant as the grants make them") func grants() throws {
        let columns: [(GrantType, String)] = [
            (.authorizationCode, "authorization_code"), (.refreshToken, "refresh_token"),
        ]
        let rows = PresentedGrantChecks.table.map { (check: $0.check as Any, places: $0.grants) }
        try compare("checks by grant", try table(columns, rows))
    }

    @Test("docs/authority.md shows the checks of what a request asks for, and of what was proved") func requests()
        throws
    {
        for (mark, checks) in [
            ("checks of requests", AuthorizationEndpoint.requestChecks as [Any]),
            ("checks of sessions", AuthorizationEndpoint.sessionChecks as [Any]),
        ] {
            var list = "\n"
            for (number, check) in checks.enumerated() { list += "\(number + 1). \(try rule(of: check))\n" }
            try compare(mark, list + "\n")
        }
    }
}
