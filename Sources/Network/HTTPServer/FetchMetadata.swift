import HTTPTypes
public import Hummingbird

/// The metadata that a browser sends about the page that caused a request (Fetch Metadata Request Headers §2).
///
/// Pages can neither set nor omit the `Sec-Fetch-*` header fields. Old browsers and other clients do not send these
/// fields, and their requests are allowed.
public struct FetchMetadata: Sendable {
    private let site: String?
    private let mode: String?
    private let destination: String?
    /// The host and port of the page, which are taken from `Origin` (RFC 6454 §7).
    ///
    /// The value is `nil` if the field is missing or contains `null`.
    private let page: String?
    private let host: String?

    private static let siteField = HTTPField.Name("Sec-Fetch-Site")
    private static let modeField = HTTPField.Name("Sec-Fetch-Mode")
    private static let destinationField = HTTPField.Name("Sec-Fetch-Dest")

    /// Reads the metadata from the header fields of a request.
    public init(_ request: Request) {
        func field(_ name: HTTPField.Name?) -> String? { name.flatMap { request.headers[$0] } }
        site = field(Self.siteField)
        mode = field(Self.modeField)
        destination = field(Self.destinationField)
        let origin = field(.origin).flatMap { $0 == "null" ? nil : $0 }
        page = origin.map { $0.split(separator: "/").last.map(String.init) ?? "" }?.lowercased()
        host = request.head.authority?.lowercased()
    }

    /// Whether a page on another site, or on another port of this host, caused the request directly or through a
    /// redirect.
    public var isForeign: Bool { site.map { $0 != "same-origin" && $0 != "none" } ?? false }

    /// Whether a page on another host or port sent the request, according to `Sec-Fetch-Site` or `Origin`.
    ///
    /// `Origin: null` is ignored, because browsers send it for pages that hide their referrer.
    public var sentByAnother: Bool { isForeign || page.map { $0 != host } ?? false }

    /// Whether the browser shows the response as a top-level page.
    public var opensPage: Bool { isNavigation && (destination ?? "document") == "document" }

    /// Whether the browser shows the response in a frame inside another page.
    ///
    /// Requests with `prompt=none` are typically sent from such frames.
    public var opensFrame: Bool { isNavigation && (destination == "iframe" || destination == "frame") }

    /// Whether the browser navigates to the requested address.
    ///
    /// A browser that sends `Sec-Fetch-Mode` also sends `Sec-Fetch-Site`. If `Sec-Fetch-Site` is missing, another
    /// program such as Node.js sent `Sec-Fetch-Mode`, so `Sec-Fetch-Mode` is ignored.
    private var isNavigation: Bool { site == nil || (mode ?? "navigate") == "navigate" }
}
