import HTTPTypes
public import Hummingbird

/// A browser's metadata about the page that caused a request (Fetch Metadata Request Headers §2).
///
/// Pages cannot set or omit these fields. Requests without them, from old browsers and other clients, are allowed.
public struct FetchMetadata: Sendable {
    private let site: String?
    private let mode: String?
    private let destination: String?
    /// The page's host and port from `Origin` (RFC 6454 §7), or `nil` if the field is missing or `null`.
    private let page: String?
    private let host: String?

    private static let siteField = HTTPField.Name("Sec-Fetch-Site")
    private static let modeField = HTTPField.Name("Sec-Fetch-Mode")
    private static let destinationField = HTTPField.Name("Sec-Fetch-Dest")

    /// Reads the fields of a request.
    public init(_ request: Request) {
        func field(_ name: HTTPField.Name?) -> String? { name.flatMap { request.headers[$0] } }
        site = field(Self.siteField)
        mode = field(Self.modeField)
        destination = field(Self.destinationField)
        let origin = field(.origin).flatMap { $0 == "null" ? nil : $0 }
        page = origin.map { $0.split(separator: "/").last.map(String.init) ?? "" }?.lowercased()
        host = request.head.authority?.lowercased()
    }

    /// Whether a page on another site or on another port of this host caused the request, directly or through a
    /// redirect.
    public var isForeign: Bool { site.map { $0 != "same-origin" && $0 != "none" } ?? false }

    /// Whether a page on another host or port sent the request, according to `Sec-Fetch-Site` or `Origin`.
    ///
    /// `Origin: null` is ignored, because it comes from pages that hide their referrer.
    public var sentByAnother: Bool { isForeign || page.map { $0 != host } ?? false }

    /// Whether the browser shows the response as a top-level page.
    public var opensPage: Bool { isNavigation && (destination ?? "document") == "document" }

    /// Whether the browser shows the response in a frame inside another page.
    ///
    /// This is typical of requests with `prompt=none`.
    public var opensFrame: Bool { isNavigation && (destination == "iframe" || destination == "frame") }

    private var isNavigation: Bool { (mode ?? "navigate") == "navigate" }
}
