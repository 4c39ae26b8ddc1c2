import HTTPTypes
import OAuth
import Testing

/// A notice is a page that reports the result of a form.
@Suite(.timeLimit(.minutes(1)))
struct NoticeTests {
    private static let path = "/local/notice"

    @Test("an address with an unknown notice, or with additional text, shows no notice")
    func fixed() async throws {
        let scene = try BrowserScene()
        for query in ["", "?done=", "?done=expired", "?done=Connected", "?p=\(BrowserScene.policy)"] {
            let page = try await scene.send(.get, Self.path + query)
            #expect(page.status == 404 && page.headers[.location] == nil, "\(query)")
        }
        #expect(try await scene.send(.get, Self.path + "?done=connected&done=refused").status == 400)
        #expect(try await scene.send(.get, "/elsewhere/notice?done=connected").status == 404)
        let page = try await scene.send(.get, Self.path + "?done=connected&client=Evil&p=b2c_1_nothing&app=Evil")
        #expect(page.status == 200 && page.text.contains("The device is connected"))
        #expect(!page.text.contains(">Evil") && page.headers[.setCookie] == nil)
        #expect(page.headers[.cacheControl] == "no-store")
        #expect(try await scene.send(.post, Self.path + "?done=connected", form: [:]).status == 405)
    }

    @Test(
        "a link from another page shows no notice, nor does a page that frames it",
        arguments: [["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Dest": "iframe"]]
    )
    func foreign(_ fields: [String: String]) async throws {
        let scene = try BrowserScene()
        for word in ["connected", "answered", "refused", "signed-out", "left"] {
            var headers: HTTPFields = [:]
            for (name, value) in fields {
                let field = try #require(HTTPField.Name(name))
                headers[field] = value
            }
            let page = try await scene.send(.get, "\(Self.path)?done=\(word)", headers: headers)
            #expect(page.status == 404 && page.headers[.setCookie] == nil, "\(word)")
            headers = [try #require(HTTPField.Name("Sec-Fetch-Site")): "same-origin"]
            #expect(try await scene.send(.get, "\(Self.path)?done=\(word)", headers: headers).status == 200)
        }
    }

    @Test("a signed-in user is not told about a sign-out", arguments: ["signed-out", "left"])
    func signedIn(_ word: String) async throws {
        var browser = TestBrowser(try BrowserScene(base: "https://login.example"))
        try await browser.authorize()
        #expect(try await browser.signUp().reply["code"] != nil)
        let answer = try await browser.send(.get, "\(Self.path)?done=\(word)")
        #expect(answer.status == 303 && answer.location == "/local/account")
        browser.cookies["__Host-session"] = nil
        #expect(try await browser.send(.get, "\(Self.path)?done=\(word)").text.contains("You are signed out"))
    }

    @Test("the notice has the branding of its policy, and exists in the other language") func looks() async throws {
        let scene = try BrowserScene()
        let page = try await scene.send(.get, "\(Self.path)?done=signed-out&p=\(BrowserScene.policy)")
        #expect(page.text.contains("<title>You are signed out"))
        let german = try #require(page.text.firstMatch(of: /<a href="([^"]+)" lang="de"/)?.1)
        let address = String(german).replacing("&amp;", with: "&")
        #expect(try await scene.send(.get, address).text.contains("Sie sind abgemeldet"))
    }
}
