import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import OAuth
import TestSupport
import Testing

/// A browser that handles cookies, forms and redirects within a server, but renders nothing.
///
/// The browser trusts the certificate that the tests use.
struct WebBrowser {
    /// A loaded page, or a redirect to another server.
    struct Page {
        let url: String
        let status: Int
        let headers: HTTPHeaders
        let text: String
    }

    /// The name and the path of a cookie (RFC 6265 §5.4).
    private struct Cookie: Hashable {
        let name: String
        let path: String

        func isFor(_ url: String) -> Bool {
            let asked = URL(string: url)?.path(percentEncoded: true) ?? "/"
            return path == "/" || asked == path || asked.hasPrefix(path + "/")
        }
    }

    private var cookies: [Cookie: String] = [:]

    /// The maximum number of redirects that the browser follows.
    private static let mostRedirects = 5

    /// Returns the value of a cookie, or `nil` if the browser has no cookie with this name.
    func value(of name: String) -> String? { cookies.first { $0.key.name == name }?.value }

    /// Loads an address, and follows redirects within the same server.
    mutating func open(_ url: String) async throws -> Page { try await follow(try await send(.GET, url, nil)) }

    /// Requests an address with these values of `Sec-Fetch-Site`, `Sec-Fetch-Mode` and `Sec-Fetch-Dest`.
    mutating func ask(_ url: String, site: String, mode: String, destination: String) async throws -> Page {
        let fields = [("Site", site), ("Mode", mode), ("Dest", destination)].map { ("Sec-Fetch-\($0.0)", $0.1) }
        return try await send(.GET, url, nil, fields)
    }

    /// Submits the first form of a page with these answers, and follows redirects within the same server.
    mutating func submit(_ page: Page, _ answers: [String: String]) async throws -> Page {
        try await submit(page, fields: answers.map { ($0.key, $0.value) })
    }

    /// Submits the first form of a page with these fields, whose names may occur several times.
    mutating func submit(_ page: Page, fields answers: [(String, String)]) async throws -> Page {
        let form = page.text.prefix(upTo: page.text.range(of: "</form>")?.lowerBound ?? page.text.endIndex)
        var fields: [(name: String, value: String)] = []
        for field in form.matches(of: /<input type="hidden" name="([^"]+)" value="([^"]*)"/) {
            fields.append((String(field.1), String(field.2)))
        }
        fields += answers.map { (name: $0.0, value: $0.1) }
        return try await follow(try await send(.POST, page.url, Form.encoded(fields)))
    }

    /// Opens a local link that leads to an external server, and follows that server's redirect back.
    ///
    /// - Returns: The final page.
    static func thereAndBack(_ link: String) async throws -> Page {
        var (ours, theirs) = (WebBrowser(), WebBrowser())
        let there = try await theirs.open(try destination(of: try await ours.open(link)))
        return try await ours.open(try destination(of: there))
    }

    private mutating func follow(_ first: Page) async throws -> Page {
        var page = first
        for _ in 0..<Self.mostRedirects {
            guard page.status == 303, let location = page.headers.first(name: "Location"), location.hasPrefix("/"),
                let next = URL(string: location, relativeTo: URL(string: page.url))
            else { return page }
            page = try await send(.GET, next.absoluteString, nil)
        }
        return page
    }

    private mutating func send(
        _ method: HTTPMethod,
        _ url: String,
        _ body: String?,
        _ fields: [(String, String)] = []
    ) async throws -> Page {
        var request = HTTPClientRequest(url: url)
        request.method = method
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        let own = cookies.filter { $0.key.isFor(url) }
        if !own.isEmpty {
            let field = own.map { "\($0.key.name)=\($0.value)" }.joined(separator: "; ")
            request.headers.add(name: "Cookie", value: field)
        }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await Self.client.execute(request, timeout: .seconds(30))
        for field in response.headers["Set-Cookie"] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            let path = field.firstMatch(of: /; ?[Pp]ath=([^;]+)/).map { String($0.1) } ?? "/"
            cookies[Cookie(name: pair[0], path: path)] = pair.count == 2 ? pair[1] : nil
        }
        let bytes = try await response.body.collect(upTo: 1 << 20)
        return Page(
            url: url,
            status: Int(response.status.code),
            headers: response.headers,
            text: String(buffer: bytes)
        )
    }

    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.forTests
        configuration.redirectConfiguration = .disallow
        var tls = TLSConfiguration.makeClientConfiguration()
        let roots = try? NIOSSLCertificate.fromPEMBytes(Array(LocalCertificate.certificate.utf8))
        tls.additionalTrustRoots = [.certificates(roots ?? [])]
        configuration.tlsConfiguration = tls
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}

/// Returns the address to which a page redirects the browser.
func destination(of page: WebBrowser.Page) throws -> String {
    if let location = page.headers.first(name: "Location") { return location }
    let refresh = try #require(page.headers.first(name: "Refresh"), "\(page.status) \(page.text)")
    return String(refresh.dropFirst("0; url=".count))
}
