import Foundation
import HTTPServer
import HTTPTypes
import LocalIssuer
import Moments
import OAuth
import Tables
import TablesServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct AccessTests {
    private static let keys = AccessKeys(application: Secret("application-key-1"), master: Secret("master-key-1"))
    private static let application = ["X-ZUMO-APPLICATION": "application-key-1"]
    private static let master = ["X-ZUMO-MASTER": "master-key-1"]

    private static func table(perUser: Bool = false) throws -> TableDeclaration {
        var table = try TableDeclaration("news", columns: [TableColumn("text", .string)])
        table.isPerUser = perUser
        table.access = [.read: .application, .insert: .admin, .update: .disabled]
        return table
    }

    @Test("the application key gives access to the application level, and the master key to that and the admin level")
    func keys() async throws {
        try await TestAPI.run([Self.table()], keys: Self.keys) { (api: TestAPI) async throws in
            #expect(try await api.send(.get, "/tables/news", token: nil).status == 401)
            #expect(try await api.send(.get, "/tables/news").status == 401)
            #expect(try await api.send(.get, "/tables/news", token: nil, Self.application).status == 200)
            #expect(try await api.send(.get, "/tables/news", token: nil, Self.master).status == 200)
            #expect(try await api.send(.post, "/tables/news", ["text": "x"], token: nil).status == 401)
            #expect(
                try await api.send(.post, "/tables/news", ["text": "x"], token: nil, Self.application).status == 401
            )
            #expect(try await api.send(.post, "/tables/news", ["text": "x"], token: nil, Self.master).status == 201)
        }
    }

    @Test(
        "a wrong key gives no access",
        arguments: ["", "application-key-2", "application-key-", "master-key-1"]
    )
    func wrong(_ key: String) async throws {
        try await TestAPI.run([Self.table()], keys: Self.keys) { (api: TestAPI) async throws in
            #expect(try await api.send(.get, "/tables/news", token: nil, ["X-ZUMO-APPLICATION": key]).status == 401)
            let fields = ["X-ZUMO-MASTER": key + "x"]
            #expect(try await api.send(.post, "/tables/news", ["text": "x"], token: nil, fields).status == 401)
        }
    }

    @Test("a token of the group admins has the admin level, and another token gets 403")
    func administrators() async throws {
        try await TestAPI.run([Self.table()], keys: Self.keys) { (api: TestAPI) async throws in
            let now = api.clock.now.seconds
            let admin = try api.issuer.token(oid: "root", now: now, changes: ["groups": ["staff", "admins"]])
            #expect(try await api.send(.post, "/tables/news", ["text": "x"], token: admin).status == 201)
            let staff = try api.issuer.token(oid: "eve", now: now, changes: ["groups": ["staff", "admins2"]])
            #expect(try await api.send(.post, "/tables/news", ["text": "x"], token: staff).status == 403)
            #expect(try await api.send(.post, "/tables/news", ["text": "x"]).status == 403)
        }
    }

    @Test("without configured keys both levels reject all senders, and a valid token gets 403")
    func noKeys() async throws {
        try await TestAPI.run([Self.table()]) { (api: TestAPI) async throws in
            let admin = try api.issuer.token(oid: "root", now: api.clock.now.seconds, changes: ["groups": ["admins"]])
            let both = Self.application.merging(Self.master) { $1 }
            for token in [nil, admin] {
                #expect(try await api.send(.get, "/tables/news", token: token, both).status == 401)
                let status = try await api.send(.post, "/tables/news", ["text": "x"], token: token, both).status
                #expect(status == (token == nil ? 401 : 403))
            }
        }
    }

    @Test("the application key gives no access to per-user tables, and the master key names no owner")
    func perUser() async throws {
        try await TestAPI.run([Self.table(perUser: true)], keys: Self.keys) { (api: TestAPI) async throws in
            #expect(try await api.send(.get, "/tables/news", token: nil, Self.application).status == 401)
            #expect(try await api.send(.get, "/tables/news", nil, Self.application).status == 401)
            #expect(try await api.send(.post, "/tables/news", ["text": "x"], token: nil, Self.master).status == 401)
            #expect(try await api.send(.post, "/tables/news", ["text": "x"], Self.master).status == 201)
        }
    }

    @Test("a disabled operation is 405 for all senders, and a key does not make up for an invalid token")
    func others() async throws {
        try await TestAPI.run([Self.table()], keys: Self.keys) { (api: TestAPI) async throws in
            let answer = try await api.send(.patch, "/tables/news/a", ["text": "x"], token: nil, Self.master)
            #expect(answer.status == 405 && answer.json?["error"] == "Method update is not allowed")
            #expect(try await api.send(.get, "/tables/news", token: "garbage", Self.application).status == 401)
        }
    }

    @Test("keys have no printed form") func redacted() {
        #expect(!"\(Self.keys)".contains("key-1"))
        var text = ""
        dump(Self.keys, to: &text)
        #expect(!text.contains("key-1"))
    }

    @Test("a cookie does not authenticate") func cookie() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let token = try api.token()
            for name in ["AppServiceAuthSession", "session", "X-ZUMO-AUTH", "Authorization"] {
                for path in ["/tables/todoitem", "/.auth/me", "/protected", "/api/tasks"] {
                    let answer = try await api.send(.get, path, token: nil, ["Cookie": "\(name)=\(token)"])
                    #expect(answer.status == 401, "\(name) \(path)")
                }
            }
        }
    }
}
