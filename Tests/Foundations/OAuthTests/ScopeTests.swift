import Foundation
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ScopeTests {
    @Test("a list keeps its order and drops duplicates") func list() throws {
        let scopes = try Scope.list("openid tasks.read openid offline_access")
        #expect(scopes == [.openid, try Scope("tasks.read"), .offlineAccess])
        #expect(scopes.scopeText == "openid tasks.read offline_access")
        #expect(try Scope.list("").isEmpty)
    }

    @Test(
        "an invalid scope is rejected",
        arguments: ["", "a b", "a\"", "a\\", "é", "a\n", "\u{7F}", String(repeating: "a", count: 257)]
    )
    func refused(_ text: String) {
        let error = #expect(throws: OAuthError.self) { try Scope(text) }
        #expect(error?.code == .invalidScope)
    }

    @Test("a list with double, leading or trailing spaces is rejected", arguments: [" a", "a ", "a  b", "a\tb"])
    func badList(_ text: String) {
        let error = #expect(throws: OAuthError.self) { try Scope.list(text) }
        #expect(error?.code == .invalidScope)
    }

    @Test("more than 64 scopes are rejected") func tooMany() throws {
        let names = (0...64).map { "s\($0)" }
        #expect(try Scope.list(names.dropLast().joined(separator: " ")).count == 64)
        let error = #expect(throws: OAuthError.self) { try Scope.list(names.joined(separator: " ")) }
        #expect(error?.code == .invalidScope)
    }

    @Test("a scope is encoded as its text, and checked when it is decoded") func codable() throws {
        let scopes = [try Scope("a/b:c"), .openid]
        let data = try JSONEncoder().encode(scopes.map(\.self))
        #expect(try JSONDecoder().decode([Scope].self, from: data) == scopes)
        let error = #expect(throws: OAuthError.self) {
            try JSONDecoder().decode([Scope].self, from: Data(#"["a b"]"#.utf8))
        }
        #expect(error?.code == .invalidScope)
        #expect(scopes.sorted() == scopes)
    }
}
