public import Foundation
import Policies

/// A file that pages use: it never changes under its name, which holds a digest of its content.
public struct PageAsset: Hashable, Sendable {
    /// The last part of its path, for example `pages-5c1b9f04d2a7.css`.
    public let name: String
    /// Its media type, for `Content-Type`.
    public let mediaType: String
    /// Its content.
    public let bytes: Data
    /// The `Cache-Control` to answer it with: a year, and never asked about again (RFC 8246).
    public static let cacheControl = "public, max-age=31536000, immutable"

    private init(stem: String, ending: String, digest: String, mediaType: String, bytes: Data) {
        name = "\(stem)-\(digest).\(ending)"
        self.mediaType = mediaType
        self.bytes = bytes
    }

    /// A file of a stem and an ending, such as `pages` and `css`.
    init(stem: String, ending: String, mediaType: String, bytes: [UInt8]) {
        let bytes = Data(bytes)
        let digest = PageFile.digest(of: bytes)
        self.init(stem: stem, ending: ending, digest: digest, mediaType: mediaType, bytes: bytes)
    }

    /// An operator's file, whose digest was taken when it was read.
    init(stem: String, _ file: PageFile) {
        let kind = file.kind
        self.init(stem: stem, ending: kind.rawValue, digest: file.digest, mediaType: kind.mediaType, bytes: file.bytes)
    }

    /// The style sheet of every page.
    public static let sheet = PageAsset(
        stem: "pages",
        ending: "css",
        mediaType: "text/css; charset=utf-8",
        bytes: PackageResources.pages_css
    )
    /// The icon of browser tabs.
    public static let icon = PageAsset(
        stem: "icon",
        ending: "svg",
        mediaType: "image/svg+xml",
        bytes: PackageResources.icon_svg
    )
    /// The script of one line that sends a form_post answer on.
    public static let script = PageAsset(
        stem: "answer",
        ending: "js",
        mediaType: "text/javascript; charset=utf-8",
        bytes: PackageResources.answer_js
    )

    /// The script that sends a code at its last digit.
    public static let code = PageAsset(
        stem: "code",
        ending: "js",
        mediaType: "text/javascript; charset=utf-8",
        bytes: PackageResources.code_js
    )

    /// The files that the pages of every policy use.
    public static let shared = [sheet, icon, script, code]
}
