import Authority
import FlowModel
import HTTPTypes
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct AuthorizeTests {
    @Test(
        "a valid request leads to the pages of a flow, which a cookie binds to the browser",
        arguments: [
            "/local/b2c_1_sign_up_or_in/oauth2/v2.0/authorize", "/LOCAL/B2C_1_Sign_Up_Or_In/oauth2/v2.0/authorize",
            "/local/oauth2/v2.0/authorize?p=B2C_1_sign_up_or_in",
            "/tfp/local/b2c_1_sign_up_or_in/oauth2/v2.0/authorize",
        ]
    )
    func pages(_ path: String) async throws {
        let scene = try BrowserScene()
        let answer = try await scene.authorize(path: path)
        #expect(answer.status == 303 && answer.location.hasPrefix("/local/flow/"))
        let cookie = try #require(answer.headers[.setCookie])
        #expect(cookie.hasPrefix("flow=") && cookie.contains("; HttpOnly; SameSite=Lax; Max-Age=900"))
    }

    @Test("over https cookies are bound to this host") func secureCookie() async throws {
        let scene = try BrowserScene(base: "https://login.example")
        let cookie = try #require(try await scene.authorize().headers[.setCookie])
        #expect(cookie.hasPrefix("__Secure-flow=") && cookie.hasSuffix("; Secure"))
        let form = try #require(try await scene.send(.get, "/device").headers[.setCookie])
        #expect(form.hasPrefix("__Host-form=") && form.contains("; Path=/;") && form.hasSuffix("; Secure"))
    }

    @Test("OIDC Core §3.1.2.1: the request may be a POST") func posted() async throws {
        let scene = try BrowserScene()
        let path = "/local/\(BrowserScene.policy)/oauth2/v2.0/authorize"
        let posted = try await scene.send(.post, path, form: BrowserScene.parameters())
        #expect(posted.status == 303 && posted.headers[.setCookie] == nil)
        let answer = try await scene.send(.get, posted.location)
        #expect(answer.status == 303 && answer.location.hasPrefix("/local/flow/"))
        let json = try await scene.send(.post, path, headers: [.contentType: "application/json"], body: "{}")
        #expect(json.status == 415)
    }

    @Test("a form on a client's page, which sends no cookie, continues for the user that is signed in")
    func postedElsewhere() async throws {
        let scene = try BrowserScene(base: "https://login.example")
        var browser = TestBrowser(scene)
        try await browser.authorize()
        #expect(try await browser.signUp().reply["code"] != nil)
        let silent = BrowserScene.parameters(["prompt": "none"])
        let resources = "&resource=https%3A%2F%2Fapi.example%2Ftasks&resource=https%3A%2F%2Fapi.example%2Ftwo"
        for path in ["/local/\(BrowserScene.policy)", "/tfp/local/\(BrowserScene.policy)", "/local"] {
            let query = path == "/local" ? "?p=\(BrowserScene.policy)" : ""
            let address = "\(path)/oauth2/v2.0/authorize"
            let form = silent.merging(["p": "b2c_1_other"]) { $1 }
            let posted = try await scene.send(.post, address + query, form: form)
            #expect(posted.status == 303 && posted.location.hasPrefix("\(address)?"))
            let answer = try await browser.send(.get, posted.location)
            #expect(answer.reply["code"] != nil && answer.reply["state"] == "st 1", "\(path)")
            let body = Form.encoded(silent.map { ($0.key, $0.value) })
            let again = try await scene.send(.post, address + query, body: body + resources)
            let two = try await browser.send(.get, again.location)
            #expect(two.reply["error"] == "invalid_target")
            let twice = try await scene.send(.post, address + query, body: body + "&nonce=n2")
            #expect(twice.reply["error"] == "invalid_request")
        }
        // A POST request that is too long for a redirect is processed directly.
        let long = BrowserScene.parameters(["unknown": String(repeating: "x", count: 8000)])
        let path = "/local/\(BrowserScene.policy)/oauth2/v2.0/authorize"
        let answer = try await scene.send(.post, path, form: long)
        #expect(answer.status == 303 && answer.location.hasPrefix("/local/flow/"))
    }

    @Test(
        "an error before the redirect URI is verified stays on a page",
        arguments: [
            (["client_id": nil], "AADB2C90008"), (["client_id": "unknown"], "AADB2C90018"),
            (["redirect_uri": nil], "AADB2C90006"), (["redirect_uri": "https://evil.example/"], "AADB2C90006"),
            (["redirect_uri": "http://localhost.evil.example/"], "AADB2C90287"),
            (["redirect_uri": "http://localhost@evil.example/"], "AADB2C90287"),
            (["redirect_uri": "https://tasks.example/cb/other"], "AADB2C90006"),
            (["redirect_uri": "https://tasks.example/cb/#x"], "AADB2C90287"),
            (["redirect_uri": "http://127.0.0.1:7777"], "AADB2C90006"),
            (["redirect_uri": "javascript:alert(1)"], "AADB2C90287"),
            (["client_id": "web1", "redirect_uri": "https://web.example/cb/"], "AADB2C90006"),
            (["client_id": "web1", "redirect_uri": "https://web.example/cb?x=1"], "AADB2C90006"),
            (["client_id": "web1", "redirect_uri": "https://web.example/CB"], "AADB2C90006"),
            (["client_id": "web1", "redirect_uri": "https://web.example/a/../cb"], "AADB2C90006"),
            (["client_id": "web1", "redirect_uri": "http://web.example/cb"], "AADB2C90287"),
            (["client_id": "web1", "redirect_uri": "https://web.example:444/cb"], "AADB2C90006"),
        ] as [([String: String?], String)]
    )
    func unproven(_ changes: [String: String?], _ code: String) async throws {
        let answer = try await BrowserScene().authorize(changes)
        #expect(answer.status == 400 && answer.headers[.location] == nil)
        #expect(answer.text.contains(code))
        #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
    }

    @Test(
        "RFC 8252 §7.3: a loopback redirect URI may have any port, and an empty path equals /",
        arguments: [
            "http://localhost", "http://localhost/", "http://localhost:1/", "http://localhost:65535",
            "http://localhost:80",
        ]
    )
    func loopback(_ uri: String) async throws {
        let answer = try await BrowserScene().authorize(["redirect_uri": uri, "prompt": "none"])
        #expect(answer.status == 303 && answer.location.hasPrefix(uri + "?error=login_required"))
    }

    @Test(
        "an error after the redirect URI is verified is sent to the client, with state and iss",
        arguments: [
            (["response_type": nil], "invalid_request", "AADB2C90083"),
            (["response_type": "token"], "unsupported_response_type", "AADB2C90013"),
            (["response_type": "code id_token"], "unsupported_response_type", "AADB2C90013"),
            (["response_mode": "jwt"], "invalid_request", "AADB2C90014"),
            (["code_challenge": nil], "invalid_request", "AADB2C99059"),
            (["code_challenge": "short"], "invalid_request", "code_challenge"),
            (["code_challenge_method": nil], "invalid_request", "AADB2C90184"),
            (["code_challenge_method": "plain"], "invalid_request", "AADB2C90184"),
            (["scope": "openid  tasks.read"], "invalid_scope", "AADB2C99005"),
            (["scope": "tasks.fly"], "invalid_scope", "AADB2C90117"),
            (["prompt": "perhaps"], "invalid_request", "AADB2C90043"),
            (["prompt": "none login"], "invalid_request", "AADB2C90043"),
            (["max_age": "-1"], "invalid_request", "AADB2C90120"),
            (["max_age": "soon"], "invalid_request", "AADB2C90120"),
            (["claims": "[]"], "invalid_request", "claims"),
            (["id_token_hint": "a.b.c"], "invalid_request", "AADB2C90232"),
            (["request": "a.b.c"], "request_not_supported", "request"),
            (["request_uri": "https://evil.example/r"], "request_uri_not_supported", "request_uri"),
            (["registration": "{}"], "registration_not_supported", "registration"),
            (["acr_values": "99"], "unmet_authentication_requirements", "authentication contexts"),
            (["nonce": String(repeating: "n", count: 4097)], "invalid_request", "nonce"),
            (["prompt": "none"], "login_required", "AADB2C90077"),
        ] as [([String: String?], String, String)]
    )
    func answered(_ changes: [String: String?], _ error: String, _ description: String) async throws {
        let answer = try await BrowserScene().authorize(changes)
        #expect(answer.status == 303 && answer.location.hasPrefix("https://tasks.example/cb?error="))
        #expect(answer.reply["error"] == error)
        #expect(answer.reply["error_description"]?.contains(description) == true)
        #expect(answer.reply["error_description"]?.contains("Correlation ID: ") == true)
        #expect(answer.reply["state"] == "st 1")
        #expect(answer.reply["iss"] == "http://localhost:8420/local/b2c_1_sign_up_or_in/v2.0")
    }

    @Test(
        "RFC 6749 §3.1: a repeated parameter is rejected",
        arguments: ["state", "scope", "nonce", "prompt"]
    )
    func repeated(_ name: String) async throws {
        let query = Form.encoded(
            BrowserScene.parameters(["prompt": "login"]).map { ($0.key, $0.value) } + [(name, "x")]
        )
        let path = "/local/\(BrowserScene.policy)/oauth2/v2.0/authorize?"
        let answer = try await BrowserScene().send(.get, path + query)
        #expect(answer.reply["error"] == "invalid_request" && answer.location.hasPrefix("https://tasks.example/cb?"))
        #expect((answer.reply["state"] == nil) == (name == "state"))
    }

    @Test(
        "RFC 6749 §3.1: a repeated client or redirect URI identifies no client",
        arguments: ["client_id", "redirect_uri"]
    )
    func ambiguous(_ name: String) async throws {
        let parameters = BrowserScene.parameters()
        let query = Form.encoded(parameters.map { ($0.key, $0.value) } + [(name, parameters[name] ?? "")])
        let path = "/local/\(BrowserScene.policy)/oauth2/v2.0/authorize?"
        let answer = try await BrowserScene().send(.get, path + query)
        #expect(answer.status == 400 && answer.headers[.location] == nil)
    }

    @Test("RFC 8707 §2: two resources are rejected, as is one that the API does not have")
    func resources() async throws {
        let path = "/local/\(BrowserScene.policy)/oauth2/v2.0/authorize?"
        let parameters = BrowserScene.parameters(["resource": "https://api.example/tasks"])
        let query = Form.encoded(parameters.map { ($0.key, $0.value) } + [("resource", "https://api.example/two")])
        #expect(try await BrowserScene().send(.get, path + query).reply["error"] == "invalid_target")
        let others = [
            "https://api.example/two", "https://api.example/tasks/", "https://API.example/tasks", "tasks", "tasks-cli",
        ]
        for resource in others {
            let answer = try await BrowserScene().authorize(["resource": resource])
            #expect(answer.reply["error"] == "invalid_target", "\(resource)")
        }
        let right = try await BrowserScene().authorize(["resource": "https://api.example/tasks"])
        #expect(right.location.hasPrefix("/local/flow/"))
    }

    @Test("responses use the fragment or a form if requested") func modes() async throws {
        let scene = try BrowserScene()
        let fragment = try await scene.authorize(["prompt": "none", "response_mode": "fragment"])
        #expect(fragment.location.hasPrefix("https://tasks.example/cb#error=login_required"))
        let form = try await scene.authorize(["prompt": "none", "response_mode": "form_post", "state": "\"><script>"])
        #expect(form.status == 200 && form.headers[.location] == nil)
        #expect(form.text.contains("action=\"https://tasks.example/cb\"") && form.hidden["error"] == "login_required")
        #expect(form.hidden["state"] == "&quot;&gt;&lt;script&gt;" && !form.text.contains("<script>"))
        let policy = try #require(form.headers[.contentSecurityPolicy])
        // Chromium applies `form-action` to the redirects of the client's response, too.
        #expect(policy.contains("script-src 'self';") && !policy.contains("form-action"), "\(policy)")
        #expect(form.text.matches(of: /<form/).count == 1 && form.text.matches(of: /<script/).count == 1)
        #expect(form.text.contains("<script src=\"/assets/answer-") && form.text.contains("</button>"))
    }

    @Test("OAuth 2.0 Form Post Response Mode §2: an error page does not reveal that a user is signed in")
    func errorByForm() async throws {
        let scene = try BrowserScene()
        let error = try await scene.authorize(["prompt": "none", "response_mode": "form_post"])
        #expect(error.hidden["error"] == "login_required" && !error.text.contains("You are signed in"))
        #expect(error.text.contains("Return to "))
    }

    @Test(
        "a state is returned unchanged, and one that a form would change is rejected",
        arguments: ResponseMode.allCases
    )
    func state(_ mode: ResponseMode) async throws {
        let scene = try BrowserScene()
        let changes: [String: String?] = ["prompt": "none", "response_mode": mode.rawValue]
        for state in [" a+b&c=%20<\">é ", "\\{}'", "a\u{202E}b\u{FEFF}\u{2028}c"] {
            let answer = try await scene.authorize(changes.merging(["state": state]) { $1 })
            #expect((answer.reply["state"] ?? answer.hidden["state"].map(decoded)) == state)
        }
        for state in ["a\nb", "a\r\nb", "\u{0}", "\u{7F}", "\u{85}", "\t"] {
            let answer = try await scene.authorize(changes.merging(["state": state]) { $1 })
            #expect((answer.reply["error"] ?? answer.hidden["error"]) == "invalid_request")
            #expect(answer.reply["state"] == nil && answer.hidden["state"] == nil)
        }
    }

    /// Decodes the character references in the value of an HTML attribute.
    private func decoded(_ text: String) -> String {
        text.replacing(/&#([0-9]+);/) { number in
            UInt32(number.1).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
        }
        .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
        .replacing("&amp;", with: "&")
    }

    @Test("an unknown policy and another tenant yield 404") func nowhere() async throws {
        let scene = try BrowserScene()
        for path in ["/local/b2c_1_nothing/oauth2/v2.0/authorize", "/local/nothing/oauth2/v2.0/authorize"] {
            #expect(try await scene.authorize(path: path).status == 404)
        }
        #expect(try await scene.authorize(path: "/other/b2c_1_sign_in/oauth2/v2.0/authorize").status == 404)
        #expect(try await scene.authorize(path: "/local/oauth2/v2.0/authorize").status == 404)
    }

    @Test("no response of the endpoint may be stored or framed") func headers() async throws {
        for changes in [["client_id": nil], ["prompt": "none"], [:]] as [[String: String?]] {
            let answer = try await BrowserScene().authorize(changes)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
        }
    }
}
