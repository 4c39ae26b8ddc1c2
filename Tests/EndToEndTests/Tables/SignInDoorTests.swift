import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import TablesClient
import TestSupport
import Testing

/// Tests sign-ins at the API's login endpoints through an external provider, with the built programs.
@Suite(.timeLimit(.minutes(5)))
struct SignInDoorTests {
    @Test("a browser returns with a token for the tables, at the addresses of both protocol versions")
    func server() async throws {
        try await SignInPlace.with { place in
            var users: Set<String> = []
            for prefix in ["/.auth/login", "/login"] {
                var browser = WebBrowser()
                let start = "\(place.machine.api)\(prefix)/Partner"
                let done = try await browser.open(try await place.wayBack(from: start, &browser))
                #expect(done.status == 200 && done.url.hasPrefix("\(place.machine.api)\(prefix)/done#token="))
                #expect(done.headers.first(name: "Content-Security-Policy")?.contains("script-src 'self'") == true)
                let (token, user) = try SignInPlace.token(in: done.url)
                users.insert(user)
                let rows = try await WebAnswer.to(.GET, "\(place.machine.api)/tables/todoitem", token: token)
                #expect(rows.status == 200, "\(rows.text)")
                let me = try await WebAnswer.to(.GET, "\(place.machine.api)/.auth/me", token: token)
                #expect(me.json?.array?.first?["user_id"]?.string == user)
                #expect(me.json?.array?.first?["provider_name"] == "partner", "\(me.text)")
            }
            #expect(users.count == 1)
        }
    }

    @Test(
        "`aad` and its older name are the same provider at the API, at the socket and as a client's hint",
        arguments: ["aad", "windowsazureactivedirectory"]
    )
    func alias(_ name: String) async throws {
        try await SignInPlace.with(SignInPlace.Terms(provider: name)) { place in
            let connection = try place.machine.connect()
            let idToken = try place.provider.idToken()
            for other in ["aad", "WindowsAzureActiveDirectory"] {
                let login = "\(place.machine.api)/.auth/login/\(other)"
                let posted = try await WebAnswer.to(.POST, login, ["id_token": .string(idToken)], token: nil)
                #expect(posted.status == 200, "\(other): \(posted.text)")
                var browser = WebBrowser()
                let back = try await browser.open(try await place.wayBack(from: login, &browser))
                #expect(back.url.contains("/done#token="), "\(other): \(back.url)")
                let asked: JSONValue = [
                    "scopes": ["tasks.read"], "policy": "b2c_1_partner", "provider": .string(other),
                    "providerToken": ["id_token": .string(idToken)],
                ]
                #expect(try connection.call("token.acquire", asked)["token"] != nil, "\(other)")
            }
            #expect(try connection.call("account.list")["accounts"]?.array?.count == 1)
        }
    }

    @Test("the authority's response works once, in the browser that began the sign-in, and from that authority only")
    func bound() async throws {
        try await SignInPlace.with { place in
            var (browser, other) = (WebBrowser(), WebBrowser())
            let back = try await place.wayBack(from: place.login, &browser)
            #expect(try await other.open(back).status == 400)
            _ = try await other.open(place.login)
            #expect(try await other.open(back).status == 400)
            #expect(try await browser.open(back + "&state=twice").status == 400)
            #expect(try SignInPlace.outcome(try await browser.open(back).url)["token"] != nil)
            #expect(try await browser.open(back).status == 400)

            let second = try await place.wayBack(from: place.login, &browser)
            let lie = second.replacing(/iss=[^&]+/, with: "iss=https%3A%2F%2Fevil.example")
            #expect(lie != second)
            let refused = try SignInPlace.outcome(try await browser.open(lie).url)
            #expect(refused["token"] == nil && refused["error"] != nil)

            let third = try await place.wayBack(from: place.login, &browser)
            let wrong = third.replacing(/code=[^&]+/, with: "code=made-up")
            #expect(try SignInPlace.outcome(try await browser.open(wrong).url)["error"] != nil)

            let leaving = try destination(of: try await browser.open(place.login))
            let state = try #require(leaving.firstMatch(of: /[?&]state=([^&]+)/)?.1)
            let cancelled = "\(place.machine.api)/auth/openid/return?error=access_denied&state=\(state)"
            let told = try SignInPlace.outcome(try await browser.open(cancelled).url)["error"]
            #expect(told == "The sign-in was cancelled or denied.")
        }
    }

    @Test("a return at `/auth/openid/return` gets the token, even if the code was requested with the other address")
    func olderReturn() async throws {
        try await SignInPlace.with { place in
            let usual = "\(place.machine.api)/.auth/login/callback"
            var browser = WebBrowser()
            let leaving = try destination(of: try await browser.open(place.login))
            let asked = try Form(String(leaving.drop { $0 != "?" }.dropFirst()))
            #expect(asked["redirect_uri"] == usual)
            let back = try await place.wayBack(from: place.login, &browser)
            try #require(back.hasPrefix(usual + "?"))
            let older = back.replacing(usual, with: "\(place.machine.api)/auth/openid/return")
            // The authority issues a token only if the request contains the redirect URI that the code was issued for
            // (RFC 6749 §4.1.3).
            let (token, _) = try SignInPlace.token(in: try await browser.open(older).url)
            let rows = try await WebAnswer.to(.GET, "\(place.machine.api)/tables/todoitem", token: token)
            #expect(rows.status == 200, "\(rows.text)")
            // The authorization response has been used, so the API accepts it at neither address again.
            for spent in [back, older] { #expect(try await browser.open(spent).status == 400) }
        }
    }

    @Test("no sign-in begins with another site's return address or an unknown parameter")
    func refused() async throws {
        try await SignInPlace.with { place in
            let api = place.machine.api
            let told = "completion_type=postMessage&completion_origin="
            let refused = [
                "post_login_redirect_uri=https%3A%2F%2Fevil.example", "post_login_redirect_url=%2F%2Fevil.example",
                "session_mode=cookie", "completion_type=redirect", "completion_origin=https%3A%2F%2Fapp.example",
                "completion_type=postMessage", told + "*", told + "https%3A%2F%2Fevil.example",
                told + "https%3A%2F%2Fapp.example%2F", told + "null", "session_mode=token&session_mode=token",
                "redirect_uri=https%3A%2F%2Fevil.example", "scope=x",
            ]
            for query in refused {
                var browser = WebBrowser()
                let page = try await browser.open("\(api)/.auth/login/partner?\(query)")
                #expect(page.status == 400 && page.headers.first(name: "Location") == nil, "\(query): \(page.status)")
            }
            var browser = WebBrowser()
            #expect(try await browser.open("\(api)/.auth/login/nobody").status == 404)
            #expect(try await browser.open("\(api)/.auth/login/facebook").status == 404)
            let asked = "\(place.login)&\(told)https%3A%2F%2Fapp.example"
            let done = try await browser.open(try await place.wayBack(from: asked, &browser))
            #expect(done.text.contains("data-origin=\"https://app.example\""), "\(done.text)")
            #expect(!done.text.contains("authenticationToken"))
            let evil = "\(api)/.auth/login/done?\(told)https%3A%2F%2Fevil.example"
            #expect(try await browser.open(evil).status == 400)
        }
    }

    @Test(
        "a page gets its token only in the browser that just signed in, once, and no forged token"
    )
    func handedOver() async throws {
        try await SignInPlace.with { place in
            let told = "completion_type=postMessage&completion_origin=https%3A%2F%2Fapp.example"
            for prefix in ["/.auth/login", "/login"] {
                func isRefused(_ page: WebBrowser.Page) -> Bool {
                    page.status == 400 && !page.text.contains("data-origin") && !page.text.contains("<script")
                        && page.text.contains("was not started in this browser, or it is no longer active")
                }
                let start = "\(place.machine.api)\(prefix)/partner?\(told)"
                let forged = "\(place.machine.api)\(prefix)/done?\(told)"
                var (browser, other) = (WebBrowser(), WebBrowser())
                let done = try await browser.open(try await place.wayBack(from: start, &browser))
                #expect(done.status == 200 && done.text.contains("data-origin=\"https://app.example\""), "\(done.text)")
                #expect(done.url.hasPrefix(forged + "&completion_id=") && done.url.contains("#token="), "\(done.url)")
                let cleared = try #require(done.headers["Set-Cookie"].first)
                #expect(cleared.hasPrefix("signin-done-") && cleared.contains("=;") && cleared.contains("Max-Age=0"))
                // The first browser's sign-in has ended, and the other browser has only the cookie of its own sign-in.
                let second = try await other.open(try await place.wayBack(from: start, &other))
                #expect(second.text.contains("data-origin"))
                for address in [
                    done.url, second.url, forged + "#token=x", forged + "&completion_id=", forged + "&completion_id=x",
                ] {
                    #expect(isRefused(try await browser.open(address)), "\(address)")
                    #expect(isRefused(try await other.open(address)), "\(address)")
                }
                // A failed sign-in is also reported only once, and only in the browser that started it.
                let leaving = try destination(of: try await browser.open(start))
                let state = try #require(leaving.firstMatch(of: /[?&]state=([^&]+)/)?.1)
                let callback = "\(place.machine.api)/.auth/login/callback?error=access_denied&state=\(state)"
                let failed = try await browser.open(callback)
                #expect(failed.url.contains("#error=") && failed.text.contains("data-origin"), "\(failed.text)")
                #expect(isRefused(try await other.open(failed.url)))
                #expect(isRefused(try await browser.open(failed.url)))
                // A program that reads the token directly from the address needs no cookie.
                #expect(try await other.open("\(place.machine.api)\(prefix)/done#token=x").status == 200)
            }
        }
    }

    @Test("images, frames and calls of other pages start no sign-in, and displace none in progress")
    func pictures() async throws {
        try await SignInPlace.with { place in
            var (browser, page) = (WebBrowser(), WebBrowser())
            let back = try await place.wayBack(from: place.login, &browser)
            for (mode, destination) in [
                ("no-cors", "image"), ("no-cors", "script"), ("cors", "empty"), ("navigate", "iframe"),
            ] {
                for _ in 0..<66 {
                    let answer = try await page.ask(
                        place.login,
                        site: "cross-site",
                        mode: mode,
                        destination: destination
                    )
                    #expect(answer.status == 403 && answer.headers.first(name: "Set-Cookie") == nil, "\(destination)")
                }
            }
            #expect(try SignInPlace.outcome(try await browser.open(back).url)["token"] != nil)
            let link = try await page.ask(place.login, site: "cross-site", mode: "navigate", destination: "document")
            #expect(link.status == 303)
        }
    }

    @Test("a provider's token is accepted if issued to this client, and gives a token for the same user")
    func client() async throws {
        try await SignInPlace.with { place in
            let api = place.machine.api
            func post(_ body: JSONValue, _ path: String = "/.auth/login/partner") async throws -> WebAnswer {
                try await WebAnswer.to(.POST, api + path, body, token: nil)
            }
            let idToken = try place.provider.idToken()
            let first = try await post(["id_token": .string(idToken)])
            #expect(first.status == 200, "\(first.text)")
            let (ours, user) = try SignInPlace.token(first.json)
            #expect(try await WebAnswer.to(.GET, "\(api)/tables/todoitem", token: ours).status == 200)
            let google: JSONValue = ["id_token": .string(idToken), "authorization_code": "4/x"]
            for (body, path) in [
                (["access_token": "access-1"], "/.auth/login/partner"),
                (["authenticationToken": .string(idToken)], "/login/PARTNER"), (google, "/.auth/login/partner"),
            ] as [(JSONValue, String)] {
                let again = try await post(body, path)
                #expect(try SignInPlace.token(again.json).user == user, "\(again.text)")
            }
            place.provider.issued(to: "theirs")
            #expect(try await post(["access_token": "access-1"]).status == 401)
            for lie in [.wrongAudience, .wrongIssuer, .expired, .unsigned, .unknownKey] as [LocalProvider.Lie] {
                place.provider.tell(lie)
                let answer = try await post(["id_token": .string(try place.provider.idToken())])
                #expect(answer.status == 401 && answer.json?["authenticationToken"] == nil, "\(lie): \(answer.text)")
            }
            place.provider.tell(nil)
            for body in [[:], ["token": "x"], ["id_token": "x", "access_token": "y"], ["id_token": 1], []]
                as [JSONValue]
            {
                #expect(try await post(body).status == 400, "\(body)")
            }
            #expect(try await post(["id_token": "x"], "/.auth/login/nobody").status == 404)
            let refresh = try await WebAnswer.to(.GET, "\(api)/.auth/refresh", token: ours)
            #expect(refresh.status == 400 && refresh.text.contains("Token renewal is not supported."))
        }
    }

    @Test("the Swift client signs in with a browser and with a provider's token, and signs out permanently")
    func library() async throws {
        try await SignInPlace.with { place in
            let idToken = try place.provider.idToken()
            try await TablesClient.with(try APIAddress(place.machine.api)) { client in
                #expect(client.currentUser == nil)
                let before = await #expect(throws: TablesError.self) { try await client.table("todoitem").read() }
                #expect(before?.code == .unauthorized && before?.status == 401)
                let user = try await client.login(provider: "Partner", token: .idToken(Secret(idToken)))
                #expect(client.currentUser == user)
                _ = try await client.table("todoitem").read()
                try await client.logout()
                #expect(client.currentUser == nil)
                let me = "\(place.machine.api)/.auth/me"
                #expect(try await WebAnswer.to(.GET, me, token: user.token.reveal()).status == 401)

                let again = try await client.login(provider: "partner") { start, end in
                    #expect(end == "\(place.machine.api)/.auth/login/done")
                    var browser = WebBrowser()
                    return try await browser.open(try await place.wayBack(from: start, &browser)).url
                }
                #expect(again.id == user.id && again.token != user.token)
                _ = try await client.table("todoitem").read()
                let elsewhere = await #expect(throws: TablesError.self) {
                    try await client.login(provider: "partner") { _, end in "\(end).evil#token=x" }
                }
                #expect(
                    elsewhere?.code == .unauthorized
                        && elsewhere?.message == "The sign-in ended at a different address."
                )
                let left = await #expect(throws: TablesError.self) {
                    try await client.login(provider: "partner") { _, end in "\(end)#error=the%20person%20left" }
                }
                #expect(left?.code == .unauthorized && left?.message == "the person left")
                let theirs = await #expect(throws: TablesError.self) {
                    try await client.login(provider: "partner", token: .accessToken(Secret("theirs")))
                }
                #expect(theirs?.code == .unauthorized && theirs?.status == 401)
                #expect(client.currentUser == again)
            }
            let page = "\(place.machine.api)/.auth/logout"
            #expect(try await WebAnswer.to(.GET, page, token: nil).status == 401)
            #expect(try await WebAnswer.to(.GET, page + "?post_logout_redirect_uri=x", token: nil).status == 400)
        }
    }

    @Test("RFC 8693 at the token endpoint requires a client with the grant and a token that identifies the user")
    func grant() async throws {
        try await SignInPlace.with { place in
            let subject = try place.provider.idToken()
            let good = try await place.exchange(["subject_token": subject])
            #expect(good.status == 200, "\(good.text)")
            #expect(good.json?["issued_token_type"]?.string == SignInPlace.accessToken, "\(good.text)")
            #expect(good.json?["token_type"] == "Bearer" && good.json?["refresh_token"] == nil)
            let byName = try await place.exchange([
                "subject_token": "access-1", "subject_token_type": SignInPlace.accessToken, "subject_issuer": "Partner",
                "requested_token_type": SignInPlace.accessToken,
            ])
            #expect(byName.status == 200, "\(byName.text)")
            let refused: [([String: String?], String)] = [
                (["subject_token": nil], "invalid_request"),
                (["subject_token": subject, "subject_token_type": nil], "invalid_request"),
                (["subject_token": subject, "subject_token_type": "urn:x"], "invalid_request"),
                (["subject_token": subject, "subject_issuer": "nobody"], "invalid_request"),
                (["subject_token": subject, "actor_token": "x"], "invalid_request"),
                (["subject_token": subject, "audience": "tasks"], "invalid_request"),
                (["subject_token": subject, "requested_token_type": SignInPlace.idToken], "invalid_request"),
                (["subject_token": subject, "scope": "tasks.nothing"], "invalid_scope"),
                (["subject_token": subject, "scope": "accessRestricted"], "invalid_request"),
                (["subject_token": "made-up"], "invalid_request"),
            ]
            for (changes, error) in refused {
                let answer = try await place.exchange(changes)
                #expect(answer.status == 400 && answer.json?["error"]?.string == error, "\(changes): \(answer.text)")
            }
            let other = try await place.exchange(["subject_token": subject], client: "other")
            #expect(other.json?["error"] == "unauthorized_client", "\(other.text)")
            for (policy, isOffered) in [("b2c_1_partner", true), ("b2c_1_sign_in", false)] {
                let address = "\(place.machine.base)/local/\(policy)/v2.0/.well-known/openid-configuration"
                let metadata = try await WebAnswer.to(.GET, address, token: nil)
                let grants = metadata.json?["grant_types_supported"]?.strings ?? []
                #expect(grants.contains(SignInPlace.exchange) == isOffered, "\(policy)")
            }
        }
    }

    @Test("tasksd calls `authority.sock` during a sign-in, and does not need the authority's port")
    func backChannel() async throws {
        try await SignInPlace.with { place in
            var browser = WebBrowser()
            let back = try await place.wayBack(from: place.login, &browser)
            place.broker.signal(SIGTERM)
            #expect(place.broker.wait() == 0, "\(place.broker.errors())")
            let port = place.machine.port
            let text = try String(contentsOfFile: place.machine.configuration, encoding: .utf8)
            let elsewhere = text.replacing("[\"127.0.0.1:\(port)\", \"[::1]:\(port)\"]", with: "[\"127.0.0.1:0\"]")
            try #require(elsewhere != text)
            try place.machine.write([elsewhere], to: "etc/tokenbrokerd.yaml")
            let hidden = try place.machine.startBroker()
            for host in ["127.0.0.1", "::1"] {
                #expect(throws: RawClient.Failure.self) { try RawClient(host: host, port: port) }
            }

            let (ours, _) = try SignInPlace.token(in: try await browser.open(back).url)
            let rows = try await WebAnswer.to(.GET, "\(place.machine.api)/tables/todoitem", token: ours)
            #expect(rows.status == 200, "\(rows.text)")
            let idToken: JSONValue = ["id_token": .string(try place.provider.idToken())]
            let login = "\(place.machine.api)/.auth/login/partner"
            let posted = try await WebAnswer.to(.POST, login, idToken, token: nil)
            #expect(posted.status == 200, "\(posted.text)")
            hidden.signal(SIGTERM)
            #expect(hidden.wait() == 0, "\(hidden.errors())")
        }
    }

    @Test("an authority that hangs causes an error for the client, while others are served") func hangs()
        async throws
    {
        try await SignInPlace.with { place in
            let api = place.machine.api
            let idToken: JSONValue = ["id_token": .string(try place.provider.idToken())]
            let known = try await WebAnswer.to(.POST, "\(api)/.auth/login/partner", idToken, token: nil)
            let (token, _) = try SignInPlace.token(known.json)
            #expect(try await WebAnswer.to(.GET, "\(api)/tables/todoitem", token: token).status == 200)
            place.broker.signal(SIGSTOP)
            defer { place.broker.signal(SIGCONT) }
            async let page = WebBrowser.opened(place.login)
            async let posted = WebAnswer.to(.POST, "\(api)/.auth/login/partner", idToken, token: nil)
            #expect(try await WebAnswer.to(.GET, "\(api)/tables/todoitem", token: token).status == 200)
            let (done, refused) = try await (page, posted)
            #expect(try SignInPlace.outcome(done.url)["error"]?.contains("is not responding") == true, "\(done.url)")
            #expect(refused.status == 503, "\(refused.text)")
            let id = try #require(refused.json?["correlationId"]?.string, "\(refused.text)")
            try await waitUntil("the log has a warning with the correlation id") {
                place.tasks.errors().split(separator: "\n").contains { $0.contains("warning") && $0.contains(id) }
            }
        }
    }
}

extension WebBrowser {
    /// Opens an address in a new browser, and returns the page.
    fileprivate static func opened(_ address: String) async throws -> Page {
        var browser = WebBrowser()
        return try await browser.open(address)
    }
}
