import Foundation
import HTTPServer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of tokens from an external authority, for which a second daemon runs.
@Suite(.timeLimit(.minutes(5)))
struct OutsideAuthorityTests {
    private static let asked: JSONValue = ["policy": "contoso", "scopes": ["tasks.read"]]

    @Test("a user signs in at an external authority, and its token is cached, renewed and revoked like a local one")
    func signIn() async throws {
        let pair = try OutsidePair()
        let connection = try pair.machine.connect()
        let token = try await pair.acquire(connection, Self.asked)
        #expect(token["fromCache"]?.bool == true && token["username"]?.string?.isEmpty == false, "\(token)")
        let payload = try #require(token["accessToken"]?.string).split(separator: ".")[1]
        let claims = try StrictJSON.parse(try #require(Base64URL.decode(String(payload))))
        #expect(claims["iss"]?.string == pair.issuer && claims["client_id"]?.string == "ours", "\(claims)")

        var fresh = Self.asked.object ?? [:]
        fresh["forceRefresh"] = true
        let renewed = try connection.call("token.acquire", .object(fresh))["token"]
        #expect(renewed?["fromCache"]?.bool == false && renewed?["accessToken"] != token["accessToken"])
        let account = try #require(renewed?["account"]?.string)
        let listed = try connection.call("account.list")["accounts"]?.array ?? []
        #expect(listed.contains { $0["account"]?.string == account && $0["authority"]?.string == "contoso" })

        // A request without a policy and without an account is for the local authority.
        let mine = try connection.refusal("token.acquire", ["scopes": ["tasks.read"], "prompt": "none"])
        #expect(mine.code == 1001)
        let gone = try connection.call("session.signOut", ["account": .string(account)])
        #expect(gone["left"] == [] && gone["removed"]?["tokens"]?.int ?? 0 > 0, "\(gone)")
        let after = try connection.refusal("token.acquire", Self.none)
        #expect(after.code == 1001)
        pair.end()
        #expect(try !pair.daemon.log().contains(try #require(token["accessToken"]?.string)))
    }

    private static let none: JSONValue = ["policy": "contoso", "scopes": ["tasks.read"], "prompt": "none"]

    @Test("the token is returned and the account remains while the authority is down and after a restart")
    func down() async throws {
        let pair = try OutsidePair()
        let token = try await pair.acquire(try pair.machine.connect(), Self.asked)
        pair.provider.signal(SIGTERM)
        #expect(pair.provider.wait() == 0)
        pair.daemon.signal(SIGTERM)
        #expect(pair.daemon.wait() == 0)
        let again = try pair.machine.startBroker()
        let connection = try pair.machine.connect()
        let kept = try connection.call("token.acquire", Self.none)["token"]
        #expect(kept?["accessToken"] == token["accessToken"])
        // A failed renewal does not discard the valid token.
        var fresh = Self.none.object ?? [:]
        fresh["forceRefresh"] = true
        let old = try connection.call("token.acquire", .object(fresh))["token"]
        #expect(old?["accessToken"] == token["accessToken"] && old?["fromCache"]?.bool == true)
        let other = try connection.refusal(
            "token.acquire",
            ["policy": "contoso", "scopes": ["tasks.write"], "prompt": "none"]
        )
        #expect(other.code == 1014, "\(other)")
        let left = try connection.call("session.signOut", ["all": true])["left"]?.array ?? []
        let words = left.compactMap(\.string)
        #expect(words.count == 2 && words.allSatisfy { $0.hasSuffix(" at contoso") }, "\(left)")
        #expect(words[0].hasPrefix("refresh token of ") && words[1].hasPrefix("session of "), "\(left)")
        again.signal(SIGTERM)
        #expect(again.wait() == 0)
    }

    @Test("the link works only in the browser that opened it, the response only once, and other users get neither")
    func bound() async throws {
        let pair = try OutsidePair()
        let connection = try pair.machine.connect()
        var params = Self.asked.object ?? [:]
        params["extraQueryParameters"] = ["domain_hint": "example.org"]
        let flow = try #require(try connection.call("token.acquire", .object(params))["flow"])
        let link = try #require(flow["browser"]?["url"]?.string)
        var (ours, stranger, theirs) = (WebBrowser(), WebBrowser(), WebBrowser())
        let leaving = try await ours.open(link)
        #expect(try await stranger.open(link).status == 404)
        #expect(try destination(of: leaving).contains("domain_hint=example.org"))
        let asked = try await theirs.open(try destination(of: leaving))
        let answers = ["username": pair.person.email, "password": pair.person.password]
        let back = try destination(of: try await theirs.submit(asked, answers))
        #expect(try await stranger.open(back).status == 404)
        #expect(try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]?["state"]?.string == "pending")
        #expect(try await ours.open(back).status == 200)
        #expect(try await ours.open(back).status == 404)
        pair.end()
    }

    @Test("`sign-in` with the authority's name prints the link and waits, and `token` prints the token")
    func command() async throws {
        let pair = try OutsidePair()
        let process = try BuiltProgram("tokenbroker").start(
            ["sign-in", "--policy", "contoso", "--browser"],
            environment: pair.machine.environment
        )
        var link: String?
        try await waitUntil("the link is printed") {
            link = process.errors().firstMatch(of: /Sign in with a browser: (\S+)\n/).map { String($0.1) }
            return link != nil
        }
        var ours = WebBrowser()
        _ = try await pair.visit(try #require(link), &ours)
        #expect(process.wait() == 0, "\(process.errors())")
        let token = try pair.machine.tokenbroker(["token", "--policy", "contoso", "--no-prompt"])
        #expect(token.status == 0 && token.output.split(separator: ".").count == 3, "\(token.errors)")
        let accounts = try pair.machine.tokenbroker(["accounts"])
        #expect(accounts.output.contains("contoso"), "\(accounts.output)")
        let api = try ListeningSocket(.tcp(host: "127.0.0.1", port: pair.machine.tasksPort))
        defer { api.close() }
        // The local API's origin is not configured for the external authority, so that authority's token must not be
        // sent to the local API.
        for command in [["request"], ["token", "--no-prompt", "--for"], ["exec", "--for"]] {
            let words = command + ["\(pair.machine.api)/x"] + (command[0] == "exec" ? ["--", "true"] : [])
            let refused = try pair.machine.tokenbroker([words[0], "--policy", "contoso"] + words.dropFirst())
            #expect(refused.status == 77 && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.contains("contoso are not sent to the API tasks"), "\(refused.errors)")
        }
        let plain = try pair.machine.tokenbroker([
            "exec", "--policy", "contoso", "--", "printenv", "ACCESS_TOKEN_ORIGINS",
        ])
        #expect(plain.status == 0 && plain.output == "\n", "\(plain)")
        pair.end()
    }

    @Test("an authority that sends invalid data or fails creates no account, and the flow reports it")
    func wrongPerson() async throws {
        let pair = try OutsidePair()
        let connection = try pair.machine.connect()
        var params = Self.asked.object ?? [:]
        params["user"] = ["id": "somebody-else", "type": "UniqueId"]
        let flow = try #require(try connection.call("token.acquire", .object(params))["flow"])
        var ours = WebBrowser()
        let page = try await pair.visit(try #require(flow["browser"]?["url"]?.string), &ours)
        #expect(page.status == 403, "\(page.status) \(page.text)")
        let ended = try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
        #expect(ended?["state"]?.string == "failed" && ended?["reason"]?.string == "wrong_user", "\(ended ?? .null)")
        #expect(try connection.call("account.list")["accounts"] == [])
        pair.end()
    }
}
