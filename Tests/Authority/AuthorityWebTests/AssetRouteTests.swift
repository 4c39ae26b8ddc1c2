import HTTPTypes
import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AssetRouteTests {
    /// Returns the URLs of all files that a page references.
    ///
    /// The page of a `form_post` response references a style sheet, an icon and a script.
    private func files(_ scene: BrowserScene) async throws -> [String] {
        let page = try await scene.authorize(["prompt": "none", "response_mode": "form_post"])
        return page.text.matches(of: /(?:href|src)="([^"]*\/assets\/[^"]+)"/).map { String($0.1) }
    }

    @Test(
        "each file has its type, is cached without limit, and runs no script by itself",
        arguments: [
            (".css", "text/css; charset=utf-8"), (".svg", "image/svg+xml"), (".js", "text/javascript; charset=utf-8"),
        ]
    )
    func file(_ ending: String, _ type: String) async throws {
        let scene = try BrowserScene()
        let path = try #require(try await files(scene).first { $0.hasSuffix(ending) })
        let answer = try await scene.send(.get, path)
        #expect(answer.status == 200 && !answer.text.isEmpty && answer.headers[.contentType] == type)
        #expect(answer.headers[.cacheControl] == "public, max-age=31536000, immutable")
        let policy = try #require(answer.headers[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'") && policy.contains("sandbox"))
        #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("script-src"))
        #expect(answer.headers[.xContentTypeOptions] == "nosniff" && answer.headers[.setCookie] == nil)
        let head = try await scene.send(.head, path)
        #expect(head.status == 200 && head.text.isEmpty && head.headers[.contentType] == type)
        #expect(try await scene.send(.post, path, form: [:]).status == 405)
    }

    @Test("files have addresses below the base path") func prefix() async throws {
        let scene = try BrowserScene(base: "https://login.example/id")
        let page = try await scene.send(.get, "/id/device")
        let path = try #require(page.text.firstMatch(of: /href="(\/id\/assets\/[^"]+\.css)"/)).1
        #expect(try await scene.send(.get, String(path)).status == 200)
        #expect(try await scene.send(.get, String(path.dropFirst(3))).status == 404)
    }

    @Test(
        "no other file is served",
        arguments: [
            "/assets/pages.css", "/assets/", "/assets/..%2Fpages.css", "/assets/%2e%2e/healthz",
            "/assets/pages-000000000000.css", "/assets/%00",
        ]
    )
    func unknown(_ path: String) async throws {
        let answer = try await BrowserScene().send(.get, path)
        #expect(answer.status == 404 || answer.status == 400)
        #expect(answer.headers[.cacheControl] == "no-store")
    }
}
