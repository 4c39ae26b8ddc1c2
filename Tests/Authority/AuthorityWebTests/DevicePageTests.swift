import Authority
import AuthorityStore
import AuthorityWeb
import FlowModel
import Flows
import Foundation
import HTTPTypes
import Moments
import OAuth
import Policies
import TestSupport
import Testing

/// The page on which the user enters the code of a device (RFC 8628 §3.3).
@Suite(.timeLimit(.minutes(2)))
struct DevicePageTests {
    private func request(_ form: [String: String]) -> ProgramRequest {
        ProgramRequest(
            policy: BrowserScene.policy,
            form: Form(form.merging(["client_id": "tasks-cli"]) { $1 }),
            authorization: nil,
            origin: .address("198.51.100.9"),
            correlationID: .random()
        )
    }

    /// Requests a user code and a device code, as a device does.
    private func ask(_ scene: BrowserScene, _ scope: String = "openid tasks.read") async throws -> (String, String) {
        try await scene.authority.start()
        let answer = try await scene.authority.programs.authorizeDevice(request(["scope": scope]))
        return (try #require(answer["user_code"]?.string), try #require(answer["device_code"]?.string))
    }

    /// Polls the token endpoint as a device does, and returns the tokens or the error code.
    private func poll(_ scene: BrowserScene, _ code: String) async throws -> (JSONValue?, OAuthError.Code?) {
        let grant = "urn:ietf:params:oauth:grant-type:device_code"
        // A device must not poll more often than its interval allows.
        scene.clock.advance(by: .seconds(6))
        do {
            let form = ["grant_type": grant, "device_code": code]
            return (try await scene.authority.programs.token(request(form)).json, nil)
        } catch let error as OAuthError {
            return (nil, error.code)
        }
    }

    @Test("the code from the link is filled in, and opening the page approves nothing") func prefilled()
        async throws
    {
        let scene = try BrowserScene()
        let (code, device) = try await ask(scene)
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device?user_code=\(code)")
        #expect(page.status == 200 && page.text.contains(code) && page.hidden["_csrf"] != nil)
        #expect(try await poll(scene, device).1 == .authorizationPending)
    }

    @Test("the user sees client, scopes and address, approves and signs in, and the device gets its tokens")
    func approved()
        async throws
    {
        let scene = try BrowserScene()
        let (code, device) = try await ask(scene, "openid profile email offline_access tasks.read")
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device")
        // The page shows the code as the device shows it, however the user typed it.
        let typed = code.lowercased().replacing("-", with: " ")
        let form = page.hidden.merging(["user_code": typed]) { $1 }
        let question = try await browser.send(.post, "/device", form: form)
        #expect(question.text.contains(">\(code)<"))
        for words in ["Read your profile", "Read your e-mail address", "Stay signed in until you sign the device out"] {
            #expect(question.text.contains(words), "\(words)")
        }
        #expect(try await poll(scene, device).1 == .authorizationPending)
        for text in ["tasks", "Read your tasks", "198.51.100.9"] { #expect(question.text.contains(text), "\(text)") }
        let refusal = try #require(question.text.range(of: "value=\"deny\""))
        let consent = try #require(question.text.range(of: "value=\"allow\""))
        #expect(refusal.lowerBound < consent.lowerBound)
        let yes = question.hidden.merging(["_decision": "allow"]) { $1 }
        let begun = try await browser.send(.post, "/device?user_code=\(typed.replacing(" ", with: "%20"))", form: yes)
        #expect(begun.status == 303 && begun.location.hasPrefix("/local/flow/"))
        browser.place = begun.location
        #expect(try await poll(scene, device).1 == .authorizationPending)
        let signedUp = try await browser.signUp()
        let done = try await browser.notice(after: signedUp)
        #expect(done.text.contains("The device is connected"))
        let again = try await browser.send(.post, "/device", form: form)
        #expect(again.status == 422)
        let tokens = try #require(try await poll(scene, device).0)
        #expect(tokens["access_token"]?.string != nil && tokens["refresh_token"]?.string != nil)
        #expect(tokens["scope"] == "openid profile email offline_access tasks.read")
        #expect(try await poll(scene, device).1 == .invalidGrant)
    }

    @Test("a user that approves and then cancels the sign-in approves no device") func cancelled() async throws {
        let scene = try BrowserScene()
        let (code, device) = try await ask(scene)
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device")
        let question = try await browser.send(.post, "/device", form: page.hidden.merging(["user_code": code]) { $1 })
        #expect(!question.text.contains("Stay connected"))
        let yes = question.hidden.merging(["_decision": "allow"]) { $1 }
        browser.place = try await browser.send(.post, "/device?user_code=\(code)", form: yes).location
        let cancelled = try await browser.post(["_action": "cancel"])
        let ended = try await browser.notice(after: cancelled)
        #expect(ended.text.contains("Nothing was changed"))
        #expect(try await poll(scene, device).1 == .authorizationPending)
    }

    @Test("an origin has a limited number of tries, and learns how long to wait") func tooMany() async throws {
        var browser = TestBrowser(try BrowserScene())
        for _ in 0..<20 {
            let page = try await browser.send(.get, "/device")
            let form = page.hidden.merging(["user_code": "BBBB-BBBB"]) { $1 }
            #expect(try await browser.send(.post, "/device", form: form).status == 422)
        }
        let page = try await browser.send(.get, "/device")
        let refused = try await browser.send(
            .post,
            "/device",
            form: page.hidden.merging(["user_code": "BBBB-BBBB"]) { $1 }
        )
        #expect(refused.status == 429)
        #expect((500...600).contains(refused.headers[.retryAfter].flatMap { Int($0) } ?? 0))
    }

    @Test("a user that denies a device denies it permanently") func denied() async throws {
        let scene = try BrowserScene()
        let (code, device) = try await ask(scene)
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device")
        let form = page.hidden.merging(["user_code": code]) { $1 }
        let question = try await browser.send(.post, "/device", form: form)
        let no = question.hidden.merging(["_decision": "deny"]) { $1 }
        let refused = try await browser.send(.post, "/device?user_code=\(code)", form: no)
        let ended = try await browser.notice(after: refused)
        #expect(ended.text.contains("Nothing was changed"))
        #expect(try await poll(scene, device).1 == .accessDenied)
        #expect(try await browser.send(.post, "/device", form: form).status == 422)
    }

    @Test("a code without a waiting device is unknown, and a form with an invalid token is rejected") func refused()
        async throws
    {
        var browser = TestBrowser(try BrowserScene())
        let page = try await browser.send(.get, "/device")
        let form = page.hidden.merging(["user_code": "BBBB-BBBB"]) { $1 }
        #expect(try await browser.send(.post, "/device", form: form).status == 422)
        let forged = ["user_code": "BBBB-BBBB", "_csrf": "x"]
        #expect(try await browser.send(.post, "/device", form: forged).status == 403)
        let skipped = page.hidden.merging(["_decision": "allow"]) { $1 }
        #expect(try await browser.send(.post, "/device?user_code=BBBB-BBBB", form: skipped).status == 403)
    }

    @Test("a form sent by a page of another site tries no code and approves no device") func otherSite()
        async throws
    {
        let scene = try BrowserScene()
        let (code, device) = try await ask(scene)
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device")
        let form = page.hidden.merging(["user_code": code]) { $1 }
        let name = try #require(HTTPField.Name("Sec-Fetch-Site"))
        for site in ["cross-site", "same-site"] {
            #expect(try await browser.send(.post, "/device", form: form, headers: [name: site]).status == 403)
        }
        let question = try await browser.send(.post, "/device", form: form)
        let address = "/device?user_code=\(code)"
        for decision in ["allow", "deny"] {
            let answer = question.hidden.merging(["_decision": decision]) { $1 }
            let refused = try await browser.send(.post, address, form: answer, headers: [name: "cross-site"])
            #expect(refused.status == 403 && refused.headers[.location] == nil)
        }
        #expect(try await poll(scene, device).1 == .authorizationPending)
        let yes = question.hidden.merging(["_decision": "allow"]) { $1 }
        #expect(try await browser.send(.post, address, form: yes).status == 303)
    }

    @Test("a signed-in user must approve as well, and then the device gets its tokens") func signedIn() async throws {
        let scene = try BrowserScene(base: "https://login.example")
        var browser = TestBrowser(scene)
        try await browser.authorize()
        #expect(try await browser.signUp().reply["code"] != nil)
        let (code, device) = try await ask(scene)
        let page = try await browser.send(.get, "/device?user_code=\(code)")
        let form = page.hidden.merging(["user_code": code]) { $1 }
        let question = try await browser.send(.post, "/device", form: form)
        #expect(question.status == 200 && question.text.contains("Read your tasks"))
        #expect(try await poll(scene, device).1 == .authorizationPending)
        let yes = question.hidden.merging(["_decision": "allow"]) { $1 }
        let decided = try await browser.send(.post, "/device?user_code=\(code)&ui_locales=de", form: yes)
        #expect(decided.location == "/local/notice?done=connected&ui_locales=de")
        #expect(try await browser.notice(after: decided).text.contains("Das Gerät ist verbunden"))
        let tokens = try #require(try await poll(scene, device).0)
        #expect(tokens["access_token"]?.string != nil && tokens["id_token"]?.string != nil)
        // If the user is not signed in, the approval alone does not connect the device.
        let (other, second) = try await ask(scene)
        var stranger = TestBrowser(scene)
        let entry = try await stranger.send(.get, "/device")
        let asked = try await stranger.send(.post, "/device", form: entry.hidden.merging(["user_code": other]) { $1 })
        let allowed = asked.hidden.merging(["_decision": "allow"]) { $1 }
        #expect(try await stranger.send(.post, "/device?user_code=\(other)", form: allowed).status == 303)
        #expect(try await poll(scene, second).1 == .authorizationPending)
    }
}
