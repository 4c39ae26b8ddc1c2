import Foundation
public import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
public import OAuth
import Synchronization

/// Differences of well-known providers from the specifications.
extension LocalProvider {
    /// The differences of a provider.
    public struct Ways: Sendable {
        /// Its own paths, by the standard path.
        public var paths: [String: String]
        /// The client authentication methods in its metadata.
        ///
        /// Empty if the metadata has none.
        public var authMethods: [String]
        /// Whether it issues ID tokens and names itself in authorization responses (RFC 9207).
        public var isOpenID: Bool
        /// Whether it responds with a form unless the request accepts JSON.
        public var answersInForms: Bool

        /// Creates a provider that differs only in these members.
        public init(
            paths: [String: String] = [:],
            authMethods: [String] = [],
            isOpenID: Bool = true,
            answersInForms: Bool = false
        ) {
            self.paths = paths
            self.authMethods = authMethods
            self.isOpenID = isOpenID
            self.answersInForms = answersInForms
        }
    }

    /// A request that redeemed a code.
    public struct Redemption: Sendable {
        /// The form.
        public let form: Form
        /// The `Authorization` header, or `nil` without one.
        public let authorization: String?
    }

    /// Sets the differences.
    public func take(_ ways: Ways) { state.withLock { $0.ways = ways } }

    /// The requests that redeemed codes, oldest first.
    public var redemptionRequests: [Redemption] { state.withLock { $0.redemptions } }

    /// The standard path for a requested path, which is relative to the issuer and mapped by ``Ways/paths``.
    func own(_ path: String) -> String {
        let base = URLComponents(string: issuer)?.path ?? ""
        let inside = !base.isEmpty && path.hasPrefix(base + "/") ? String(path.dropFirst(base.count)) : path
        return state.withLock { $0.ways.paths[inside] } ?? inside
    }

    /// Returns the members that a request lists in `fields`, as Facebook does, or all of them without `fields`.
    static func asked(_ json: JSONValue, _ query: String?) -> JSONValue {
        guard let fields = (try? Form(query ?? ""))?["fields"], let members = json.object else { return json }
        let named = fields.split(separator: ",").map(String.init)
        return .object(members.filter { named.contains($0.key) })
    }

    /// Returns a response as a form.
    static func form(_ answer: [String: JSONValue]) -> Response {
        let pairs = answer.map { (name: $0.key, value: $0.value.string ?? $0.value.text) }
        return Response(
            status: .ok,
            headers: [.contentType: "application/x-www-form-urlencoded"],
            body: .init(byteBuffer: ByteBuffer(string: Form.encoded(pairs)))
        )
    }
}

extension ListeningSocket {
    /// The port, or `nil` for a Unix socket.
    public var port: Int? {
        switch address {
        case .tcp(_, let port): port
        case .unix: nil
        }
    }
}
