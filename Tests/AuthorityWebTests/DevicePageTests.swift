import Authority
import FlowModel
import HTTPTypes
import OAuth
import Testing

/// RFC 8628 §3.3: the page where the code of a device is typed.
@Suite(.timeLimit(.minutes(2)))
struct DevicePageTests {
    /// Asks for a user code, as a device does.
    private func userCode(_ scene: BrowserScene) async throws -> String {
        let request = ProgramRequest(
            policy: BrowserScene.policy,
            form: Form(["client_id": "tasks-cli", "scope": "openid tasks.read"]),
            authorization: nil,
            origin: .address("198.51.100.9"),
            correlationID: .random()
        )
        return try #require(try await scene.authority.authorizeDevice(request)["user_code"]?.string)
    }

    @Test("a code that came with the link is filled in, and nothing is approved by opening it") func prefilled()
        async throws
    {
        let scene = try BrowserScene()
        let code = try await userCode(scene)
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device?user_code=\(code)")
        #expect(page.status == 200 && page.text.contains(code) && page.hidden["_csrf"] != nil)
    }

    @Test("the person sees client, scopes and address, says yes, signs in, and the device may go on") func approved()
        async throws
    {
        let scene = try BrowserScene()
        let code = try await userCode(scene)
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device")
        let form = page.hidden.merging(["user_code": code]) { $1 }
        let question = try await browser.send(.post, "/device", form: form)
        for text in ["tasks", "Read your tasks", "198.51.100.9"] { #expect(question.text.contains(text), "\(text)") }
        let yes = question.hidden.merging(["_decision": "allow"]) { $1 }
        let begun = try await browser.send(.post, "/device?user_code=\(code)", form: yes)
        #expect(begun.status == 303 && begun.location.hasPrefix("/local/flow/"))
        browser.place = begun.location
        let done = try await browser.signUp()
        #expect(done.status == 200 && done.headers[.location] == nil)
        let again = try await browser.send(.post, "/device", form: form)
        #expect(again.status == 422)
    }

    @Test("who says no turns the device away for good") func denied() async throws {
        let scene = try BrowserScene()
        let code = try await userCode(scene)
        var browser = TestBrowser(scene)
        let page = try await browser.send(.get, "/device")
        let form = page.hidden.merging(["user_code": code]) { $1 }
        let question = try await browser.send(.post, "/device", form: form)
        let no = question.hidden.merging(["_decision": "deny"]) { $1 }
        #expect(try await browser.send(.post, "/device?user_code=\(code)", form: no).status == 200)
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
