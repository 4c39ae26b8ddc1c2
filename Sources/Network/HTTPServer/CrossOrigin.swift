import HTTPTypes
import Hummingbird

/// The other origins whose web pages may send requests (CORS, as defined in the Fetch standard).
///
/// Credentials that a browser adds automatically, such as cookies, are never allowed. A page must send a token.
public struct CrossOrigin: Hashable, Sendable {
    /// How long a browser may cache a preflight response, in seconds.
    public static let maxAge = 600

    /// The allowed request header fields, in lower case.
    ///
    /// Fields that begin with `x-zumo-` are allowed too.
    private static let fields = [
        "accept", "accept-language", "authorization", "cache-control", "client-request-id", "content-type",
        "idempotency-key", "if-match", "if-none-match", "x-requested-with", "zumo-api-version",
    ]
    private static let exposed = "Link,Etag"

    /// The safe methods, which change nothing (RFC 9110 §9.2.1).
    private static let safe: [HTTPRequest.Method] = [.get, .head, .options, .trace]

    private let origins: Set<String>
    /// The scheme of this server's own origin, or `nil` to allow changes from any origin.
    private let ownScheme: String?

    /// Creates a rule that allows pages from `origins`, each spelled as browsers do: `https://host[:port]` in lower
    /// case.
    ///
    /// - Parameters:
    ///   - origins: The origins.
    ///   - ownScheme: The scheme by which browsers reach this server, to reject changes from other origins, or `nil` to
    ///     reject none.
    public init(origins: some Sequence<String>, refusingChangesBut ownScheme: String? = nil) {
        self.origins = Set(origins)
        self.ownScheme = ownScheme
    }

    /// Rejects a change requested by a page from another origin.
    ///
    /// CORS alone does not prevent such changes: browsers send a preflight only for some requests (Fetch §3.3.2), and
    /// some table rows can be changed without a token.
    ///
    /// Requests from programs are allowed, because they have no `Origin` field.
    ///
    /// - Throws: `HTTPProblem` 403 for an origin that is neither allowed nor this server's own.
    func checkChange(_ request: Request) throws(HTTPProblem) {
        guard let ownScheme, !Self.safe.contains(request.method), let origin = request.headers[.origin] else { return }
        guard !origins.contains(origin), origin != Self.own(ownScheme, request) else { return }
        throw Self.foreign(origin)
    }

    /// Returns the origin that a request was sent to, as browsers spell it: without the scheme's default port (RFC 6454
    /// §6.2).
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

    /// Handles a preflight request, which a browser sends before the actual request.
    ///
    /// - Parameters:
    ///   - request: Any request.
    ///   - methods: Returns the methods that the request's path supports. Called only for a preflight.
    /// - Returns: The response, or `nil` if `request` is not a preflight or its path has no route.
    /// - Throws: `HTTPProblem` 403 for an origin that is not allowed.
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

    /// If the page's origin is allowed, adds the fields that let a browser pass `response` to the page.
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
