import Authority
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import NIOCore
import OAuth

extension Response {
    /// Makes a page.
    ///
    /// - Parameters:
    ///   - html: The document, without script or style of its own.
    ///   - status: The status.
    ///   - target: The address beyond this server at which a form of the page may end; Chromium also looks at where the
    ///     answer to a form redirects.
    ///   - cookies: The `Set-Cookie` fields.
    ///   - retryAfter: The seconds after which to try again, if that makes sense.
    /// - Returns: A response that is never stored or framed.
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

    /// Sends the browser elsewhere, with a GET whatever it sent here (RFC 9110 §15.4.4, RFC 9700 §4.12).
    static func seeOther(_ location: String, cookies: [String] = []) -> Response {
        var headers: HTTPFields = [.location: location]
        for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return Response(status: .seeOther, headers: headers)
    }
}

/// The policy of pages: nothing of anybody else's, and no script or style but from a file (CSP Level 3).
enum ContentSecurityPolicy {
    static func page(forms: String) -> String {
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action \(forms); "
            + "frame-ancestors 'none'; base-uri 'none'"
    }

    /// The source expression of a redirect URI; a private scheme by itself, and all of http for an IPv6 host, which no
    /// expression can name.
    static func source(_ uri: String) -> String? {
        guard let colon = uri.firstIndex(of: ":") else { return nil }
        let scheme = uri[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { return "\(scheme):" }
        let authority = uri[colon...].dropFirst(3).prefix { !"/?#".contains($0) }
        return authority.hasPrefix("[") ? "\(scheme):" : "\(scheme)://\(authority)"
    }
}
