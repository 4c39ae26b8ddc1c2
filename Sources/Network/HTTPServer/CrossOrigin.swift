import HTTPTypes
import Hummingbird

/// The other origins whose web pages may call (the CORS protocol of the Fetch standard).
///
/// Credentials that a browser adds by itself, cookies among them, are never allowed: a page must send a token.
public struct CrossOrigin: Hashable, Sendable {
    /// The time for which a browser may cache a preflight answer, in seconds.
    public static let maxAge = 600

    /// The allowed request fields, in lower case; those that begin with `x-zumo-` are allowed too.
    private static let fields = [
        "accept", "accept-language", "authorization", "cache-control", "client-request-id", "content-type",
        "idempotency-key", "if-match", "if-none-match", "x-requested-with", "zumo-api-version",
    ]
    private static let exposed = "Link,Etag"

    /// The methods that change nothing (RFC 9110 §9.2.1).
    private static let safe: [HTTPRequest.Method] = [.get, .head, .options, .trace]

    private let origins: Set<String>
    /// The scheme of this server's own origin; nil where it is not looked who sends changes.
    private let ownScheme: String?

    /// Allows pages of `origins`, each written as browsers write it: `https://host[:port]` in lower case.
    ///
    /// - Parameters:
    ///   - origins: The origins.
    ///   - ownScheme: The scheme by which browsers reach this server, if changes that pages of other origins send are
    ///     refused; nil refuses none.
    public init(origins: some Sequence<String>, refusingChangesBut ownScheme: String? = nil) {
        self.origins = Set(origins)
        self.ownScheme = ownScheme
    }

    /// Refuses a change that a page of another origin sends: a browser asks first for some requests only (Fetch §3.3.2),
    /// and some rows may be changed without a token.
    ///
    /// Programs name no origin.
    ///
    /// - Throws: `HTTPProblem` 403 for an origin that is neither this server's own nor allowed.
    func checkChange(_ request: Request) throws(HTTPProblem) {
        guard let ownScheme, !Self.safe.contains(request.method), let origin = request.headers[.origin] else { return }
        guard !origins.contains(origin), origin != Self.own(ownScheme, request) else { return }
        throw Self.foreign(origin)
    }

    /// The origin that a request was sent to, as browsers write it: without the scheme's own port (RFC 6454 §6.2).
    private static func own(_ scheme: String, _ request: Request) -> String {
        let host = (request.head.authority ?? "").lowercased()
        let port = scheme == "https" ? ":443" : ":80"
        return "\(scheme)://\(host.hasSuffix(port) ? String(host.dropLast(port.count)) : host)"
    }

    private static func foreign(_ origin: String) -> HTTPProblem {
        HTTPProblem(
            .forbidden,
            code: "forbidden_origin",
            message: "pages of that origin may not call",
            detail: origin
        )
    }

    /// Answers a preflight request, which a browser sends before the real one.
    ///
    /// - Parameters:
    ///   - request: Any request.
    ///   - methods: The methods of its address; asked for a preflight only.
    /// - Returns: An answer; nil if `request` is not a preflight, or if its address has no route.
    /// - Throws: `HTTPProblem` 403 for an origin that may not call.
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

    /// Adds the fields that let a browser show `response` to the page, if its origin is allowed.
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
