import HTTPTypes
import Hummingbird

/// Which web pages of other origins may call (the CORS protocol of the Fetch standard).
///
/// Credentials that a browser adds by itself, cookies among them, are never allowed: whoever calls brings a token.
public struct CrossOrigin: Hashable, Sendable {
    /// How long a browser may remember what it was allowed, in seconds.
    public static let maxAge = 600

    /// In lower case; besides these, everything that begins with `x-zumo-`.
    private static let fields = [
        "accept", "accept-language", "authorization", "cache-control", "client-request-id", "content-type",
        "idempotency-key", "if-match", "if-none-match", "x-requested-with", "zumo-api-version",
    ]
    private static let exposed = "Link,Etag"

    private let origins: Set<String>

    /// Allows pages of `origins`, each written as browsers write it: `https://host[:port]` in lower case.
    public init(origins: some Sequence<String>) {
        self.origins = Set(origins)
    }

    /// The answer to a browser that asks before it sends the real request.
    ///
    /// - Parameters:
    ///   - request: Any request.
    ///   - methods: The methods of its address.
    /// - Returns: An answer; nil if `request` is a real one, or if nothing is at its address.
    /// - Throws: `HTTPProblem` 403 for an origin that may not call.
    func preflight(_ request: Request, methods: [HTTPRequest.Method]) throws(HTTPProblem) -> Response? {
        guard !origins.isEmpty, request.method == .options, let origin = request.headers[.origin],
            request.headers[.accessControlRequestMethod] != nil, !methods.isEmpty
        else { return nil }
        guard origins.contains(origin) else {
            throw HTTPProblem(
                .forbidden,
                code: "forbidden_origin",
                message: "pages of that origin may not call",
                detail: origin
            )
        }
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

    /// Adds what a browser must see before it shows `response` to the page; pages of other origins get nothing.
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
