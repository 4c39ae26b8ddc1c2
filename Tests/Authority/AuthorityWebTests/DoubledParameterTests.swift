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

/// A request must not contain a parameter more than once (RFC 6749 §3.1).
@Suite(.timeLimit(.minutes(2)))
struct DoubledParameterTests {
    @Test(
        "a repeated policy parameter is rejected",
        arguments: [
            "/local/oauth2/v2.0/authorize?p=b2c_1_sign_in&p=b2c_1_sign_up_or_in",
            "/local/b2c_1_sign_in/oauth2/v2.0/authorize?p=b2c_1_sign_in&p=b2c_1_sign_in",
            "/local/oauth2/v2.0/logout?p=b2c_1_sign_in&p=b2c_1_sign_in",
        ]
    )
    func policy(_ path: String) async throws {
        #expect(try await BrowserScene().authorize(path: path).status == 400)
    }

    @Test(
        "a repeated form field is rejected, and the flow does not change",
        arguments: ["_csrf", "_step", "_submission", "username", "password", "_action", "unknown"]
    )
    func field(_ name: String) async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let page = try await browser.page()
        let fields = page.hidden.merging(["username": "ada@example.org", "password": "Wrong-horse-7"]) { $1 }
        let twice = fields.map { (name: $0.key, value: $0.value) } + [(name, fields[name] ?? "x"), (name, "x")]
        let cookies = "flow=\(browser.cookies["flow"] ?? "")"
        let answer = try await scene.send(.post, browser.place, cookies: cookies, body: Form.encoded(twice))
        #expect(answer.status == 400 && answer.text.contains("A parameter is repeated"))
        #expect(try await browser.page().status == 200)
    }

    @Test("the device page rejects a repeated code, in the address and in the form") func device()
        async throws
    {
        let scene = try BrowserScene()
        #expect(try await scene.send(.get, "/device?user_code=BBBB-BBBB&user_code=CCCC-CCCC").status == 400)
        let page = try await scene.send(.get, "/device")
        let cookie = String(try #require(page.headers[.setCookie]).prefix { $0 != ";" })
        let body = Form.encoded(page.hidden.map { ($0.key, $0.value) }) + "&user_code=BBBB-BBBB&user_code=CCCC-CCCC"
        #expect(try await scene.send(.post, "/device", cookies: cookie, body: body).status == 400)
    }
}
