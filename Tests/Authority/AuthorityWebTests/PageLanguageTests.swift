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

@Suite(.timeLimit(.minutes(1)))
struct PageLanguageTests {
    private func link(_ page: BrowserScene.Answer, _ language: String) throws -> String {
        let pattern = try Regex("<a href=\"([^\"]+)\" lang=\"\(language)\"", as: (Substring, Substring).self)
        return String(try #require(page.text.firstMatch(of: pattern)).output.1).replacing("&amp;", with: "&")
    }

    @Test("a page links to its other language, and the flow stays in the chosen one") func flow()
        async throws
    {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize(["ui_locales": "en"])
        let english = try await browser.page()
        #expect(english.text.contains("lang=\"en\""))
        browser.place = try link(english, "de")
        let german = try await browser.page()
        #expect(german.status == 200 && german.text.contains("<html lang=\"de\"") && german.text.contains("Anmelden"))
        #expect(try link(german, "en").hasSuffix("?ui_locales=en"))
        // The form is posted to a URL with the language, and the response redirects to the same URL.
        #expect(german.text.contains("action=\"\(browser.place)\""))
        let answer = try await browser.post(["_action": "create"])
        #expect(answer.status == 303 && answer.location == browser.place)
        let wrong = try await browser.post(["email": "x", "displayName": "Ada", "password": "weak"])
        #expect(wrong.status == 422 && wrong.text.contains("<html lang=\"de\""))
        // A page with a wrong answer has no link to the other language, because the link would discard the user's
        // input.
        #expect(!wrong.text.contains("hreflang"))
    }

    @Test("the link keeps the address's other parameters, properly encoded") func kept() async throws {
        let scene = try BrowserScene()
        let page = try await scene.send(.get, "/device?user_code=\"><i>&ui_locales=fr")
        #expect(try link(page, "de") == "/device?user_code=%22%3E%3Ci%3E&ui_locales=de")
        #expect(!page.text.contains("<i>"))
        let german = try await scene.send(.get, "/device?ui_locales=de")
        #expect(german.text.contains("action=\"/device?ui_locales=de\""))
    }

    @Test("an error of the authorization endpoint is available in the other language") func error() async throws {
        let scene = try BrowserScene()
        let page = try await scene.authorize(["client_id": "unknown"])
        let german = try await scene.send(.get, try link(page, "de"))
        #expect(
            german.status == 400 && german.text.contains("<html lang=\"de\"") && german.text.contains("AADB2C90018")
        )
    }

    @Test(
        "a refusal is in the language of its page",
        arguments: [
            (
                "en", "The current step does not offer this action. Choose one of its actions.",
                "There is no policy named b2c_1_none.",
                "A parameter is repeated."
            ),
            (
                "de", "Der aktuelle Schritt bietet diese Aktion nicht an. Wählen Sie eine seiner Aktionen.",
                "Eine Richtlinie b2c_1_none gibt es nicht.",
                "Ein Parameter kommt mehrfach vor."
            ),
        ]
    )
    func refusals(_ language: String, _ step: String, _ policy: String, _ doubled: String) async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize(["ui_locales": language])
        let refused = try await browser.post(["_action": "resend"])
        #expect(refused.status == 422 && refused.text.contains("<html lang=\"\(language)\""), "\(refused.status)")
        #expect(refused.text.contains(step), "\(refused.text)")
        let unknown = try await scene.authorize(
            ["ui_locales": language],
            path: "/local/b2c_1_none/oauth2/v2.0/authorize"
        )
        #expect(unknown.status == 404 && unknown.text.contains(policy), "\(unknown.text)")
        let twice = try await scene.send(.get, "/device?user_code=A&user_code=B&ui_locales=\(language)")
        #expect(twice.status == 400 && twice.text.contains(doubled), "\(twice.text)")
    }

    @Test("an error that only the client's developer can fix is English on every page") func developer() async throws {
        let scene = try BrowserScene()
        let page = try await scene.authorize(["client_id": "unknown", "ui_locales": "de"])
        #expect(page.status == 400 && page.text.contains("<html lang=\"de\""))
        #expect(page.text.contains("AADB2C90018: no client is registered under this id"), "\(page.text)")
    }

    @Test(
        "a page uses the browser's best available language, and ui_locales has priority",
        arguments: [
            ("de-DE,de;q=0.9,en;q=0.5", "", "de"), ("fr, de;q=0.4, en;q=0.8", "", "en"), ("fr", "", "en"),
            ("de", "?ui_locales=en", "en"), ("en", "?ui_locales=de", "de"),
        ]
    )
    func accepted(_ field: String, _ query: String, _ language: String) async throws {
        let page = try await BrowserScene().send(.get, "/device\(query)", headers: [.acceptLanguage: field])
        #expect(page.status == 200 && page.text.contains("<html lang=\"\(language)\""))
    }
}
