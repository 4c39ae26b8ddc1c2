import Authority
import AuthorityStore
import BrowserFlows
import FlowModel
import Flows
import Foundation
import HTTPTypes
import Moments
import OAuth
import Policies
import TestSupport
import Testing

/// RFC 8628 §3.3: the page where the code of a device is typed.
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

    /// Asks for a code, as a device does.
    private func ask(_ scene: BrowserScene, _ scope: String = "openid tasks.read") async throws -> (String, String) {
        try await scene.authority.start()
        let answer = try await scene.authority.programs.authorizeDevice(request(["scope": scope]))
        return (try #require(answer["user_code"]?.string), try #require(answer["device_code"]?.string))
    }

    /// The answer of the token endpoint to a device: the tokens, or the error.
    private func poll(_ scene: BrowserScene, _ code: String) async throws -> (JSONValue?, OAuthError.Code?) {
        let grant = "urn:ietf:params:oauth:grant-type:device_code"
        // As a device does, no sooner than its interval allows.
        scene.clock.advance(by: .seconds(6))
        do {
            let form = ["grant_type": grant, "device_code": code]
            return (try await scene.authority.programs.token(request(form)).json, nil)
        } catch let error as OAuthError {
            return (nil, error.code)
        }
    }

    @Test("a code that came with the link is filled in, and nothing is approved by opening it") func prefilled()
        async throws
    {
        let scene = try BrowserScene()
        let (code, device) = try await ask(scene)
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device?user_code=\(code)")
        #expect(page.status == 200 && page.text.contains(code) && page.hidden["_csrf"] != nil)
        #expect(try await poll(scene, device).1 == .authorizationPending)
    }

    @Test("the person sees client, scopes and address, says yes, signs in, and the device may go on") func approved()
        async throws
    {
        let scene = try BrowserScene()
        let (code, device) = try await ask(scene, "openid offline_access tasks.read")
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device")
        let form = page.hidden.merging(["user_code": code]) { $1 }
        let question = try await browser.send(.post, "/device", form: form)
        #expect(question.text.contains("Stay connected until you sign it out"))
        #expect(try await poll(scene, device).1 == .authorizationPending)
        for text in ["tasks", "Read your tasks", "198.51.100.9"] { #expect(question.text.contains(text), "\(text)") }
        let yes = question.hidden.merging(["_decision": "allow"]) { $1 }
        let begun = try await browser.send(.post, "/device?user_code=\(code)", form: yes)
        #expect(begun.status == 303 && begun.location.hasPrefix("/local/flow/"))
        browser.place = begun.location
        #expect(try await poll(scene, device).1 == .authorizationPending)
        let done = try await browser.signUp()
        #expect(done.status == 200 && done.headers[.location] == nil)
        let again = try await browser.send(.post, "/device", form: form)
        #expect(again.status == 422)
        let tokens = try #require(try await poll(scene, device).0)
        #expect(tokens["access_token"]?.string != nil && tokens["refresh_token"]?.string != nil)
        #expect(tokens["scope"] == "openid offline_access tasks.read")
        #expect(try await poll(scene, device).1 == .invalidGrant)
    }

    @Test("who says yes and then cancels the sign-in lets no device on") func cancelled() async throws {
        let scene = try BrowserScene()
        let (code, device) = try await ask(scene)
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device")
        let question = try await browser.send(.post, "/device", form: page.hidden.merging(["user_code": code]) { $1 })
        #expect(!question.text.contains("Stay connected"))
        let yes = question.hidden.merging(["_decision": "allow"]) { $1 }
        browser.place = try await browser.send(.post, "/device?user_code=\(code)", form: yes).location
        #expect(try await browser.post(["_action": "cancel"]).status == 200)
        #expect(try await poll(scene, device).1 == .authorizationPending)
    }

    @Test("one place may try so many codes, and is told how long to wait") func tooMany() async throws {
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

    @Test("who says no turns the device away for good") func denied() async throws {
        let scene = try BrowserScene()
        let (code, device) = try await ask(scene)
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device")
        let form = page.hidden.merging(["user_code": code]) { $1 }
        let question = try await browser.send(.post, "/device", form: form)
        let no = question.hidden.merging(["_decision": "deny"]) { $1 }
        #expect(try await browser.send(.post, "/device?user_code=\(code)", form: no).status == 200)
        #expect(try await poll(scene, device).1 == .accessDenied)
        #expect(try await browser.send(.post, "/device", form: form).status == 422)
    }

    @Test("a code that nobody waits under is unknown, and a form of nobody's page is refused") func refused()
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
}
