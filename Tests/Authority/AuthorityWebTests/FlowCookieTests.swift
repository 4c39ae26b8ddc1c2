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

/// Over http, other services on the host can read and set the cookie that binds a flow to its browser.
@Suite(.timeLimit(.minutes(2)))
struct FlowCookieTests {
    private static let planted = "AAAAAAAAAAAAAAAAAAAAAA"

    private func attributes(_ browser: inout TestBrowser) async throws -> BrowserScene.Answer {
        _ = try await browser.post(["_action": "create"])
        return try await browser.page()
    }

    private let filled = ["email": BrowserScene.email, "displayName": "Ada", "password": BrowserScene.password]

    @Test("a planted cookie is not accepted: each flow has a new one, valid only for its own pages")
    func planted() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        browser.cookies["flow"] = Self.planted
        let answer = try await browser.authorize()
        let field = try #require(answer.headers[.setCookie])
        #expect(field.contains("; Path=\(browser.place);") && !field.contains(Self.planted))
        #expect(try await scene.send(.get, browser.place, cookies: "flow=\(Self.planted)").status == 404)
        let first = browser.cookies["flow"]
        try await browser.authorize()
        #expect(browser.cookies["flow"] != first)
    }

    @Test("an accepted answer changes the cookie, which excludes a browser that only began the flow")
    func fixation() async throws {
        let scene = try BrowserScene()
        var victim = TestBrowser(scene)
        try await victim.authorize()
        let page = try await attributes(&victim)
        var thief = victim
        let answer = try await victim.post(filled, from: page)
        #expect(answer.status == 303 && victim.cookies["flow"] != thief.cookies["flow"])
        let code = try await scene.mailedCode()
        #expect(try await thief.page().status == 404)
        let form = try await victim.page()
        #expect(try await thief.post(["code": code], from: form).status == 404)
        #expect(try await victim.post(["code": code], from: form).reply["code"] != nil)
    }

    @Test(
        "a double click on an answer gets one cookie, and a different answer with the previous cookie gets none"
    )
    func doubleClick() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let page = try await attributes(&browser)
        var again = browser
        var other = browser
        let (place, form) = (browser.place, page.hidden.merging(filled) { $1 })
        _ = try await browser.post(filled, from: page)
        // A browser without the flow's cookie gets no cookie when it posts the same form.
        let stranger = try await scene.send(.post, place, form: form, cookies: "flow=\(Self.planted)")
        #expect(stranger.status == 404 && stranger.headers[.setCookie] == nil)
        let second = try await again.post(filled, from: page)
        #expect(second.status == 303 && again.cookies["flow"] == browser.cookies["flow"])
        let late = try await other.post(filled.merging(["_submission": "another"]) { $1 }, from: page)
        #expect(late.status == 404 && late.headers[.setCookie] == nil)
        #expect(try await again.post(["code": try await scene.mailedCode()]).reply["code"] != nil)
    }

    @Test("the two requests of a double click may arrive at once") func atOnce() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let page = try await attributes(&browser)
        let form = page.hidden.merging(filled) { $1 }
        let (place, cookies) = (browser.place, "flow=\(browser.cookies["flow"] ?? "")")
        async let one = scene.send(.post, place, form: form, cookies: cookies)
        async let two = scene.send(.post, place, form: form, cookies: cookies)
        let fields = try await [one, two].compactMap { $0.headers[.setCookie] }
        #expect(!fields.isEmpty && Set(fields).count == 1)
    }

    @Test("a wrong answer and an action do not change the cookie") func unchanged() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let cookie = browser.cookies["flow"]
        #expect(try await browser.post(["_action": "create"]).headers[.setCookie] == nil)
        #expect(try await browser.post(["_action": "back"]).headers[.setCookie] == nil)
        #expect(try await browser.signIn("unknown@example.org", "Wrong-horse-7").headers[.setCookie] == nil)
        #expect(browser.cookies["flow"] == cookie)
    }

    @Test("the form for a device code gets a new cookie each time, and accepts no planted one") func form()
        async throws
    {
        let scene = try BrowserScene()
        let page = try await scene.send(.get, "/device", cookies: "form=\(Self.planted)")
        let field = try #require(page.headers[.setCookie])
        #expect(field.hasPrefix("form=") && !field.contains(Self.planted))
        let form = page.hidden.merging(["user_code": "BBBB-BBBB"]) { $1 }
        #expect(try await scene.send(.post, "/device", form: form, cookies: "form=\(Self.planted)").status == 403)
        let cookie = String(field.prefix { $0 != ";" })
        #expect(try await scene.send(.post, "/device", form: form, cookies: cookie).status == 422)
    }
}
