import AuthorityWeb
import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct AuthorityRoutesTests {
    private let wellKnown = "/.well-known/oauth-authorization-server"

    @Test(
        "RFC 8414 §3.1: metadata is at the well-known address, followed by the issuer's path",
        arguments: ["", "/id"]
    )
    func metadata(_ prefix: String) async throws {
        let door = Door(base: "http://localhost:8420\(prefix)")
        let answer = try await door.get(wellKnown + prefix + "/local/b2c_1_sign_in/v2.0")
        #expect(answer.status == .ok)
        #expect(answer.headers[.contentType] == "application/json")
        #expect(answer.json?["issuer"]?.string == "http://localhost:8420\(prefix)/local/b2c_1_sign_in/v2.0")
        #expect(answer.headers[.cacheControl] == "public, max-age=3600")
    }

    @Test("policy and tenant are case-insensitive, and the response uses lower case")
    func anyCase() async throws {
        let answer = try await Door().get(wellKnown + "/Local/B2C_1_Sign_In/v2.0")
        #expect(answer.json?["issuer"]?.string == "http://localhost:8420/local/b2c_1_sign_in/v2.0")
        #expect(try await Door().get("/LOCAL/B2C_1_SIGN_IN/discovery/v2.0/keys").status == .ok)
    }

    @Test("every policy publishes the keys, which may be cached for minutes", arguments: ["", "/id"])
    func keys(_ prefix: String) async throws {
        let door = Door(base: "http://localhost:8420\(prefix)/")
        let answer = try await door.get(prefix + "/local/b2c_1_sign_in/discovery/v2.0/keys")
        #expect(answer.json == ["keys": []])
        #expect(answer.headers[.contentType] == "application/json")
        #expect(answer.headers[.cacheControl] == "public, max-age=300")
    }

    @Test("keys that cannot be read yield 500 without the reason, and the response is not cached")
    func keysFail() async throws {
        struct DiskFull: Error {}
        let door = Door(keysFailure: DiskFull())
        let answer = try await door.get("/local/b2c_1_sign_in/discovery/v2.0/keys")
        #expect(answer.status == .internalServerError)
        #expect(answer.json?["error"]?.string == "server_error")
        #expect(answer.json?.text.contains("DiskFull") == false)
        #expect(answer.headers[.cacheControl] == "no-store")
    }

    @Test(
        "HEAD responds as GET does, without a body",
        arguments: ["/local/b2c_1_sign_in/discovery/v2.0/keys", "/healthz", "/metrics", "/readyz", "/nowhere"]
    )
    func head(_ path: String) async throws {
        let (head, get) = (try await Door().get(path, method: .head), try await Door().get(path))
        #expect(head.status == get.status && head.length == 0 && get.length > 0)
        #expect(head.headers[.contentType] == get.headers[.contentType])
        #expect(head.headers[.cacheControl] == get.headers[.cacheControl])
    }

    @Test(
        "an unknown tenant, policy or address yields 404 in JSON with the correlation id",
        arguments: [
            "/other/b2c_1_sign_in/discovery/v2.0/keys", "/local/b2c_1_nothing/discovery/v2.0/keys",
            "/local/b2c_1_sign_in/discovery/v2.0/key",
            "/.well-known/oauth-authorization-server/other/b2c_1_sign_in/v2.0",
            "/.well-known/oauth-authorization-server/local/b2c_1_nothing/v2.0",
            "/.well-known/oauth-authorization-server/local/b2c_1_sign_in",
        ]
    )
    func notFound(_ path: String) async throws {
        let answer = try await Door().get(path)
        #expect(answer.status == .notFound)
        #expect(answer.json?["error"]?.string == "not_found")
        #expect(answer.json?["correlation_id"]?.string == answer.headers[Door.correlationID])
        #expect(answer.headers[.cacheControl] == "no-store")
    }

    @Test("a document rejects methods that write") func post() async throws {
        let answer = try await Door().get("/local/b2c_1_sign_in/discovery/v2.0/keys", method: .post)
        #expect(answer.status == .methodNotAllowed)
        #expect(answer.headers[.allow] == "GET, HEAD")
        #expect(answer.json?["error"]?.string == "method_not_allowed")
    }

    @Test("a path with an encoded slash yields 400, and other spellings of a path are equivalent") func spellings()
        async throws
    {
        #expect(try await Door().get("/local/b2c_1_sign_in%2F/discovery/v2.0/keys").status == .badRequest)
        #expect(try await Door().get("/l%6fcal/b2c_1_sign_in/discovery/v2.0/keys").status == .ok)
    }

    @Test("over the Unix socket keys may be cached for half a minute") func keysOnThisMachine() async throws {
        let address = ListenAddress.unix(path: "/run/tokenbroker/authority.sock", mode: 0o666)
        let answer = try await Door().get("/local/b2c_1_sign_in/discovery/v2.0/keys", at: address)
        #expect(answer.headers[.cacheControl] == "public, max-age=30")
    }

    @Test("the operational endpoints are below the base") func operation() async throws {
        let door = Door(base: "https://login.test/id", problem: "the database is gone")
        #expect(try await door.get("/id/healthz").status == .ok)
        let ready = try await door.get("/id/readyz")
        #expect(ready.status == .serviceUnavailable)
        #expect(ready.json?["store"]?.string == "the database is gone")
        #expect(try await door.get("/id/metrics").status == .ok)
        #expect(try await Door().get("/readyz").status == .ok)
    }

    @Test("the authority publishes its issuer base and signing keys for local callers over the Unix socket only")
    func description()
        async throws
    {
        let address = ListenAddress.unix(path: "/run/tokenbroker/authority.sock", mode: 0o666)
        let answer = try await Door().get(AuthorityDescription.path, at: address)
        let description = try #require(answer.json.flatMap(AuthorityDescription.init))
        #expect(description.base == "http://localhost:8420" && description.tenant == "local")
        #expect(description.keys == ["keys": []] && answer.headers[.cacheControl] == "public, max-age=30")
        #expect(try await Door().get(AuthorityDescription.path).status == .notFound)
    }
}
