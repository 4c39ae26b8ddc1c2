import HTTPTypes
public import Hummingbird

/// What a browser says about the page that made it send a request (Fetch Metadata Request Headers §2).
///
/// No page can set or leave out these fields. Programs and old browsers send none: what is not said counts as harmless.
public struct FetchMetadata: Sendable {
    private let site: String?
    private let mode: String?
    private let destination: String?
    /// The host and port of the page, as `Origin` names them (RFC 6454 §7); nil where it names none.
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

    /// True if a page of another site, or of another port of this host, made the browser send the request, be it by a
    /// redirect.
    public var isForeign: Bool { site.map { $0 != "same-origin" && $0 != "none" } ?? false }

    /// True if a page of another host or port sent the form, by `Sec-Fetch-Site` or, of browsers that do not know it, by
    /// `Origin`; that is `null` for pages that tell no referrer, and says nothing then.
    public var sentByAnother: Bool { isForeign || page.map { $0 != host } ?? false }

    /// True if the answer is shown as a page of its own, rather than in another page or to a script.
    public var opensPage: Bool { isNavigation && (destination ?? "document") == "document" }

    /// True if the answer goes to a frame of another page, as of clients that ask without showing anything.
    public var opensFrame: Bool { isNavigation && (destination == "iframe" || destination == "frame") }

    private var isNavigation: Bool { (mode ?? "navigate") == "navigate" }
}
