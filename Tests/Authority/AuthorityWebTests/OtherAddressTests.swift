import AuthorityWeb
import AuthorityWebFixture
import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing

/// Tests of browsers that call the service by another name of this machine.
@Suite(.timeLimit(.minutes(1)))
struct OtherAddressTests {
    private static let base = "https://login.example/id"

    private func answer(
        _ host: String,
        _ path: String = "/",
        accept: String = "text/html,application/xhtml+xml",
        method: HTTPRequest.Method = .get
    ) async throws -> (status: Int, type: String, text: String) {
        let scene = try BrowserScene(base: Self.base)
        let pipeline = scene.web.routes.pipeline(
            hosts: .base(Self.base),
            metrics: PrometheusRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        var head = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
        head.headerFields[.accept] = accept
        let response = await pipeline.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
            at: .tcp(host: "127.0.0.1", port: 8420)
        )
        let body = CollectedBody()
        try await response.body.write(body)
        let text = String(decoding: body.all, as: UTF8.self)
        return (response.status.code, response.headers[.contentType] ?? "", text)
    }

    @Test(
        "a browser that uses another name of this machine gets a page that names and links the right address",
        arguments: ["localhost:8420", "127.0.0.1:8420", "127.0.0.1", "[::1]:8420"]
    )
    func page(_ host: String) async throws {
        let answer = try await answer(host, "/local/account")
        #expect(answer.status == 421 && answer.type.hasPrefix("text/html"))
        #expect(answer.text.contains("This service has another address"))
        #expect(answer.text.contains("The address of the service is \(Self.base)."))
        #expect(answer.text.contains("href=\"\(Self.base)/local/account\""))
    }

    @Test(
        "the language links of the page stay at the same host",
        arguments: [
            ("/local/account", "/local/account?ui_locales=de"), ("//evil.example/x", "/evil.example/x?ui_locales=de"),
            ("///evil.example", "/evil.example?ui_locales=de"), ("/\\evil.example", nil), ("/%5Cevil.example", nil),
            ("*", nil), ("/a/../b", nil),
        ] as [(String, String?)]
    )
    func languages(_ path: String, _ link: String?) async throws {
        let page = try await answer("127.0.0.1", path)
        #expect(page.text.contains("This service has another address"), "\(page.text)")
        let links = page.text.matches(of: /href="([^"]*ui_locales=[^"]*)"/).map { String($0.1) }
        #expect(links == [link].compactMap { $0 })
    }

    @Test("the page's style sheet is served at the same name") func style() async throws {
        let page = try await answer("127.0.0.1:8420")
        let path = try #require(page.text.firstMatch(of: /href="(\/id\/assets\/[^"]+\.css)"/)).1
        let style = try await answer("127.0.0.1:8420", String(path), accept: "text/css,*/*")
        #expect(style.status == 200 && style.type.hasPrefix("text/css"))
    }

    @Test("programs, other methods and names of other machines get the JSON error") func refused() async throws {
        for answer in [
            try await answer("127.0.0.1:8420", accept: "*/*"), try await answer("localhost:8420", method: .post),
            try await answer("evil.example"), try await answer("127.0.0.1.evil.example:8420"),
            try await answer("evil.example", "/id/assets/pages.css"),
        ] {
            #expect(answer.status == 421 && answer.type.hasPrefix("application/json"), "\(answer.text)")
            #expect(!answer.text.contains("login.example"))
        }
    }
}
