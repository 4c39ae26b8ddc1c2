import HTTPTypes
import Hummingbird

/// The rule that decides which web pages from other origins may send requests to the server (CORS, Fetch standard).
///
/// A page must send a token, because cookies and other credentials that a browser adds are never allowed.
public struct CrossOrigin: Hashable, Sendable {
    /// How long a browser may cache a preflight response, in seconds.
    public static let maxAge = 600

    /// The lowercase names of the request header fields that pages may send in addition to `x-zumo-*`.
    private static let fields = [
        "accept", "accept-language", "authorization", "cache-control", "client-request-id", "content-type",
        "idempotency-key", "if-match", "if-none-match", "x-requested-with", "zumo-api-version",
    ]
    private static let exposed = "Link,Etag"

    /// The safe methods, which do not change data (RFC 9110 §9.2.1).
    private static let safe: [HTTPRequest.Method] = [.get, .head, .options, .trace]

    private let origins: Set<String>
    /// The scheme of the server's own origin, or `nil` if pages from any origin may change data.
    private let ownScheme: String?

    /// Creates a rule that allows pages from `origins`, each of which is `https://host[:port]` in lower case.
    ///
    /// If `ownScheme`, the scheme of the server's URL, is set, only these pages and the server's own may change data.
    public init(origins: some Sequence<String>, refusingChangesBut ownScheme: String? = nil) {
        self.origins = Set(origins)
        self.ownScheme = ownScheme
    }

    /// Throws a 403 error if a page whose origin is neither allowed nor the server's own tries to change data.
    ///
    /// CORS alone does not prevent this, because browsers send a preflight only before some requests (Fetch §3.3.2).
    func checkChange(_ request: Request) throws(HTTPProblem) {
        guard let ownScheme, !Self.safe.contains(request.method), let origin = request.headers[.origin] else { return }
        guard !origins.contains(origin), origin != Self.own(ownScheme, request) else { return }
        throw Self.foreign(origin)
    }

    /// Returns the origin that the request was sent to, without the scheme's default port (RFC 6454 §6.2).
    private static func own(_ scheme: String, _ request: Request) -> String {
        let host = (request.head.authority ?? "").lowercased()
        let port = scheme == "https" ? ":443" : ":80"
        return "\(scheme)://\(host.hasSuffix(port) ? String(host.dropLast(port.count)) : host)"
    }

    private static func foreign(_ origin: String) -> HTTPProblem {
        HTTPProblem(
            .forbidden,
            code: "forbidden_origin",
            message: "pages from that origin may not send requests",
            detail: origin
        )
    }

    /// Returns the response to a preflight request for a path that has a route, or `nil` for any other request.
    ///
    /// - Throws: `HTTPProblem` with status 403 if the origin of the page is not allowed.
    func preflight(
        _ request: Request,
        methods: @autoclosure () throws(HTTPProblem) -> [HTTPRequest.Method]
    ) throws(HTTPProblem)
        -> Response?
    {
        guard !origins.isEmpty, request.method == .options, let origin = request.headers[.origin],
            request.headers[.accessControlRequestMethod] != nil
        else { return nil }
        let methods = try methods()
        guard !methods.isEmpty else { return nil }
        guard origins.contains(origin) else { throw Self.foreign(origin) }
        let asked = (request.headers[.accessControlRequestHeaders] ?? "").lowercased()
            .split { $0 == "," || $0 == " " }.map(String.init)
        let fields = Self.fields + asked.filter { $0.hasPrefix("x-zumo-") && $0.utf8.allSatisfy(Self.isNameByte) }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: methods.map(\.rawValue).joined(separator: ","),
                .accessControlAllowHeaders: fields.joined(separator: ","),
                .accessControlMaxAge: "\(Self.maxAge)",
            ]
        )
    }

    func decorate(_ response: inout Response, for request: Request) {
        guard !origins.isEmpty else { return }
        let vary = response.headers[.vary].map { "\($0), Origin" } ?? "Origin"
        response.headers[.vary] = vary
        guard let origin = request.headers[.origin], origins.contains(origin) else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = Self.exposed
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
    }
}
