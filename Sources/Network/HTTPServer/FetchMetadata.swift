import HTTPTypes
public import Hummingbird

/// The metadata that a browser sends about the page that caused a request (Fetch Metadata Request Headers §2).
///
/// Pages can neither set nor omit the `Sec-Fetch-*` header fields. Requests without these fields are allowed.
public struct FetchMetadata: Sendable {
    private let site: String?
    private let mode: String?
    private let destination: String?
    /// The page's origin from `Origin` (RFC 6454 §7), or `nil` if the field is missing or `null`.
    private let page: String?
    private let hasOrigin: Bool
    /// The server's own origin, to which the request was sent.
    private let own: String

    private static let siteField = HTTPField.Name("Sec-Fetch-Site")
    private static let modeField = HTTPField.Name("Sec-Fetch-Mode")
    private static let destinationField = HTTPField.Name("Sec-Fetch-Dest")

    /// Reads the metadata from the header fields of a request to a server whose URL has the scheme `scheme`.
    public init(_ request: Request, scheme: String) {
        func field(_ name: HTTPField.Name?) -> String? { name.flatMap { request.headers[$0] } }
        site = field(Self.siteField)
        mode = field(Self.modeField)
        destination = field(Self.destinationField)
        hasOrigin = field(.origin) != nil
        page = field(.origin).flatMap { $0 == "null" ? nil : $0.lowercased() }
        own = "\(scheme)://\(request.head.authority?.lowercased() ?? "")"
    }

    /// Whether a page on another site, or on another port of this host, caused the request, even through a redirect.
    public var isForeign: Bool { site.map { $0 != "same-origin" && $0 != "none" } ?? false }

    /// Whether `Sec-Fetch-Site` or, if it is missing, `Origin` shows that a page of another origin sent the request.
    public var isFromOtherOrigin: Bool { isForeign || site == nil && hasOrigin && page != own }

    /// Whether `Sec-Fetch-Site` or `Origin` (if not `null`) shows that a page of another origin sent the request.
    public var sentByAnother: Bool { isForeign || page.map { $0 != own } ?? false }

    /// Whether the browser shows the response as a top-level page.
    public var opensPage: Bool { isNavigation && (destination ?? "document") == "document" }

    /// Whether the browser shows the response in a frame, which is typical of requests with `prompt=none`.
    public var opensFrame: Bool { isNavigation && (destination == "iframe" || destination == "frame") }

    /// Whether the browser navigates to the requested address.
    ///
    /// `Sec-Fetch-Mode` without `Sec-Fetch-Site` is ignored, because it comes from programs such as Node.js.
    private var isNavigation: Bool { site == nil || (mode ?? "navigate") == "navigate" }
}
