import Authority
import FlowModel
import Foundation
import HTTPTypes
import OAuth
import Policies
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BrandedPageTests {
    private static func file(_ name: String, _ text: String) throws -> PageFile {
        try PageFile(name: name, bytes: Data(text.utf8))
    }

    private func scene(
        _ look: PageLook = PageLook(),
        language: LanguageTag = .english,
        texts: [String: [String: String]] = [:]
    ) throws -> BrowserScene {
        let policy = Policy(
            id: try PolicyID(BrowserScene.policy),
            kind: .signUpOrSignIn,
            attributes: [AttributeRule(name: "email", required: true, verify: true)],
            scopes: ["tasks.read": []],
            pages: look,
            language: language,
            texts: texts
        )
        return try BrowserScene(policies: [policy])
    }

    @Test("a request gets its policy's title, colours, logo, background, template and texts, and each file is served")
    func branded() async throws {
        let sheet = try Self.file("t.css", "header{color:#123456}")
        let template = try PageTemplate(
            html: "<link rel=\"stylesheet\" href=\"t.css\"><header>Contoso AG</header><div id=\"api\"></div>"
        ) { _ throws(PageFile.Refusal) in sheet }
        let look = PageLook(
            title: "Contoso",
            accent: try #require(AccentColour("#8a1538")),
            logo: try Self.file("logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
            background: .picture(try Self.file("sea.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"sea\"/>")),
            template: template
        )
        let scene = try scene(look, texts: ["en": ["step.password.title": "Welcome to Contoso"]])
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let page = try await browser.page()
        #expect(page.status == 200 && page.text.contains("<header>Contoso AG</header>"))
        #expect(page.text.contains("Welcome to Contoso") && page.text.contains("Contoso</title>"))
        let named = page.text.matches(of: /(?:href|src)="(\/assets\/[^"]+)"/).map { String($0.1) }
        var found: [String: BrowserScene.Answer] = [:]
        for path in named {
            let stem = String(path.dropFirst("/assets/".count).prefix { $0 != "-" })
            found[stem] = try await scene.send(.get, path)
        }
        let brand = try #require(found["brand"])
        let background = try #require(brand.text.firstMatch(of: /url\((background-[^)]+)\)/)?.1)
        found["background"] = try await scene.send(.get, "/assets/\(background)")
        #expect(brand.text.contains("--accent:#"))
        #expect(found["template"]?.text == "header{color:#123456}")
        #expect(found["background"]?.text.contains("id=\"sea\"") == true)
        let types = [
            "brand": "text/css; charset=utf-8", "template": "text/css; charset=utf-8", "logo": "image/svg+xml",
            "background": "image/svg+xml",
        ]
        for (stem, type) in types {
            let answer = try #require(found[stem], "\(stem)")
            #expect(answer.status == 200 && answer.headers[.contentType] == type, "\(stem)")
            #expect(answer.headers[.cacheControl]?.contains("immutable") == true, "\(stem)")
        }
    }

    private func expectLook(_ page: BrowserScene.Answer, _ status: Int) {
        #expect(page.status == status && page.text.contains("<html lang=\"de\""), "\(page.status) \(page.text)")
        #expect(page.text.contains("· Contoso</title>") && page.text.contains("/assets/brand-"), "\(page.text)")
    }

    @Test(
        "the page on which a flow ends has the policy's title and colours, and the language of the request",
        arguments: ["query", "fragment", "form_post"]
    )
    func last(_ mode: String) async throws {
        let scene = try scene(PageLook(title: "Contoso", accent: try #require(AccentColour("#8a1538"))))
        var browser = TestBrowser(scene)
        try await browser.authorize(["ui_locales": "de", "response_mode": mode])
        let form = try await browser.page()
        expectLook(form, 200)
        let ended = try await browser.post(["_action": "cancel"], from: form)
        expectLook(ended, 200)
        if mode == "form_post" {
            let policy = try #require(ended.headers[.contentSecurityPolicy])
            #expect(!policy.contains("form-action"), "\(policy)")
        }
        expectLook(try await browser.page(), 410)
        // The same submission gets the same response.
        expectLook(try await browser.post(["username": "ada", "password": "x"], from: form), 200)
    }

    @Test(
        "the notice after a flow for a device has the policy's title and colours, and the chosen language",
        arguments: [true, false]
    )
    func device(_ approves: Bool) async throws {
        let scene = try scene(PageLook(title: "Contoso", accent: try #require(AccentColour("#8a1538"))))
        try await scene.authority.start()
        let request = ProgramRequest(
            policy: BrowserScene.policy,
            form: Form(["client_id": "tasks-cli", "scope": "openid tasks.read"]),
            origin: .address("198.51.100.9"),
            correlationID: .random()
        )
        let answer = try await scene.authority.programs.authorizeDevice(request)
        let code = try #require(answer["user_code"]?.string)
        var browser = TestBrowser(scene)
        let path = "/device?ui_locales=de"
        let typed = try await browser.send(.get, path).hidden.merging(["user_code": code]) { $1 }
        let asked = try await browser.send(.post, path, form: typed)
        let yes = asked.hidden.merging(["_decision": "allow"]) { $1 }
        browser.place = try await browser.send(.post, "\(path)&user_code=\(code)", form: yes).location
        expectLook(try await browser.page(), 200)
        let done = approves ? try await browser.signUp() : try await browser.post(["_action": "cancel"])
        expectLook(try await browser.notice(after: done), 200)
    }

    @Test("without a language in the browser or the request, a page uses its policy's language") func language()
        async throws
    {
        let scene = try scene(language: .german)
        for (header, parameter, language) in [
            (nil, nil, "de"), ("en", nil, "en"), (nil, "en", "en"), ("fr", nil, "de"), ("en", "de", "de"),
        ] as [(String?, String?, String)] {
            let begun = try await scene.authorize(["ui_locales": parameter])
            let cookie = begun.headers[.setCookie]?.split(separator: ";").first.map(String.init)
            var headers: HTTPFields = [:]
            headers[.acceptLanguage] = header
            let page = try await scene.send(.get, begun.location, cookies: cookie, headers: headers)
            #expect(page.text.contains("<html lang=\"\(language)\""), "\(header ?? "-") \(parameter ?? "-")")
        }
    }
}
