import Authority
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import NIOCore
import OAuth

extension Response {
    /// Creates a response that contains a page.
    ///
    /// Browsers must not show the page in a frame.
    ///
    /// - Parameters:
    ///   - html: The HTML document, which must not contain inline scripts or styles.
    ///   - status: The HTTP status.
    ///   - target: The external address to which the browser may be redirected after it posts the page's form, or `nil`
    ///     if there is none. Chromium applies `form-action` to such redirects too.
    ///   - cookies: The `Set-Cookie` fields.
    ///   - retryAfter: The number of seconds to wait before trying again, or `nil` if trying again does not help.
    /// - Returns: The response.
    static func page(
        _ html: String,
        status: HTTPResponse.Status = .ok,
        formsEndAt target: String? = nil,
        cookies: [String] = [],
        retryAfter: Int? = nil
    ) -> Response {
        let forms = (["'self'"] + (target.flatMap(ContentSecurityPolicy.source).map { [$0] } ?? [])).joined(
            separator: " "
        )
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8",
            .contentSecurityPolicy: ContentSecurityPolicy.page(forms: forms),
        ]
        headers[.retryAfter] = retryAfter.map(String.init)
        for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: html)))
    }

    /// Returns a redirect that browsers always follow with a GET (RFC 9110 §15.4.4, RFC 9700 §4.12).
    static func seeOther(_ location: String, cookies: [String] = []) -> Response {
        var headers: HTTPFields = [.location: location]
        for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return Response(status: .seeOther, headers: headers)
    }
}

/// The Content Security Policy of pages (CSP Level 3), which allows only scripts and styles from the authority's files.
enum ContentSecurityPolicy {
    static func page(forms: String) -> String {
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action \(forms); "
            + "frame-ancestors 'none'; base-uri 'none'"
    }

    /// Returns the CSP source expression that matches a redirect URI, or `nil` if the URI has no scheme.
    ///
    /// The expression consists of only the scheme if the URI has a private-use scheme or if its host is an IPv6
    /// address. A source expression cannot contain an IPv6 address.
    static func source(_ uri: String) -> String? {
        guard let colon = uri.firstIndex(of: ":") else { return nil }
        let scheme = uri[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { return "\(scheme):" }
        let authority = uri[colon...].dropFirst(3).prefix { !"/?#".contains($0) }
        return authority.hasPrefix("[") ? "\(scheme):" : "\(scheme)://\(authority)"
    }
}
