import HTTPTypes
import Hummingbird

/// The scheme and host of this server as its clients know them, for links in answers.
public struct ServerOrigin: Hashable, Sendable {
    private let scheme: String

    /// An origin.
    ///
    /// - Parameter isSecure: True if clients reach it by TLS, its own or a proxy's.
    public init(isSecure: Bool) {
        scheme = isSecure ? "https" : "http"
    }

    /// The origin that `request` was sent to; its host was checked before.
    func of(_ request: Request) -> String { "\(scheme)://\(request.head.authority ?? "localhost")" }
}
