import Authority
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import NIOCore
import OAuth

extension Response {
    /// Creates a response that contains a page, which browsers must not show in a frame.
    ///
    /// `html` must not contain inline scripts or styles. `retryAfter` is in seconds.
    static func page(
        _ html: String,
        status: HTTPResponse.Status = .ok,
        forms: ContentSecurityPolicy.Forms = .own,
        cookies: [String] = [],
        retryAfter: Int? = nil
    ) -> Response {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8",
            .contentSecurityPolicy: ContentSecurityPolicy.page(forms),
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
    /// The server to which the forms of a page are posted.
    enum Forms {
        /// The authority, whose response never redirects to another origin.
        case own
        /// The client. The policy has no `form-action`, which Chromium would apply to the client's redirects too.
        case client
    }

    static func page(_ forms: Forms) -> String {
        let targets =
            switch forms {
            case .own: "form-action 'self'; "
            case .client: ""
            }
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \(targets)"
            + "frame-ancestors 'none'; base-uri 'none'"
    }

    /// Returns the CSP source expression that matches a redirect URI, or `nil` if the URI has no scheme.
    ///
    /// The expression is only the scheme if the URI has a private-use scheme, or if the host is an IPv6 address, which
    /// a source expression cannot contain.
    static func source(_ uri: String) -> String? {
        guard let colon = uri.firstIndex(of: ":") else { return nil }
        let scheme = uri[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { return "\(scheme):" }
        let authority = uri[colon...].dropFirst(3).prefix { !"/?#".contains($0) }
        return authority.hasPrefix("[") ? "\(scheme):" : "\(scheme)://\(authority)"
    }
}
