import HTTPTypes
import Hummingbird

/// What a browser says about the page that made it send a request (Fetch Metadata Request Headers §2).
///
/// No page can set or leave out these fields. Programs and old browsers send none: what is not said counts as harmless.
struct FetchMetadata {
    private let site: String?
    private let mode: String?
    private let destination: String?

    /// Reads the fields of a request.
    init(_ request: Request) {
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
        site = field("Sec-Fetch-Site")
        mode = field("Sec-Fetch-Mode")
        destination = field("Sec-Fetch-Dest")
    }

    /// True if a page of another site, or of another port of this host, made the browser send the request, be it by a
    /// redirect.
    var isForeign: Bool { site.map { $0 != "same-origin" && $0 != "none" } ?? false }

    /// True if the answer is shown as a page of its own, rather than in another page or to a script.
    var opensPage: Bool { isNavigation && (destination ?? "document") == "document" }

    /// True if the answer goes to a frame of another page, as of clients that ask without showing anything.
    var opensFrame: Bool { isNavigation && (destination == "iframe" || destination == "frame") }

    private var isNavigation: Bool { (mode ?? "navigate") == "navigate" }
}
