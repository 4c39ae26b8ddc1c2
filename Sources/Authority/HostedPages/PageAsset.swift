public import Foundation
import Policies

/// A static file that pages use, cacheable permanently because its name contains a digest of its content.
public struct PageAsset: Hashable, Sendable {
    /// The file name, for example `pages-5c1b9f04d2a7.css`.
    public let name: String
    /// The media type, for `Content-Type`.
    public let mediaType: String
    /// The content of the file.
    public let bytes: Data
    /// The `Cache-Control` value of the response, which allows caching for one year without revalidation (RFC 8246).
    public static let cacheControl = "public, max-age=31536000, immutable"

    private init(stem: String, ending: String, digest: String, mediaType: String, bytes: Data) {
        name = "\(stem)-\(digest).\(ending)"
        self.mediaType = mediaType
        self.bytes = bytes
    }

    init(stem: String, ending: String, mediaType: String, bytes: [UInt8]) {
        let bytes = Data(bytes)
        let digest = PageFile.digest(of: bytes)
        self.init(stem: stem, ending: ending, digest: digest, mediaType: mediaType, bytes: bytes)
    }

    /// Creates an asset from an operator's file, whose digest was computed when the file was read.
    init(stem: String, _ file: PageFile) {
        let kind = file.kind
        self.init(stem: stem, ending: kind.rawValue, digest: file.digest, mediaType: kind.mediaType, bytes: file.bytes)
    }

    /// The style sheet that all pages use.
    public static let sheet = PageAsset(
        stem: "pages",
        ending: "css",
        mediaType: "text/css; charset=utf-8",
        bytes: PackageResources.pages_css
    )
    /// The icon for browser tabs.
    public static let icon = PageAsset(
        stem: "icon",
        ending: "svg",
        mediaType: "image/svg+xml",
        bytes: PackageResources.icon_svg
    )
    /// The one-line script that submits a `form_post` response.
    public static let script = PageAsset(
        stem: "answer",
        ending: "js",
        mediaType: "text/javascript; charset=utf-8",
        bytes: PackageResources.answer_js
    )

    /// The script that submits a code when the user types the last digit.
    public static let code = PageAsset(
        stem: "code",
        ending: "js",
        mediaType: "text/javascript; charset=utf-8",
        bytes: PackageResources.code_js
    )

    /// The files that the pages of all policies use.
    public static let shared = [sheet, icon, script, code]
}
