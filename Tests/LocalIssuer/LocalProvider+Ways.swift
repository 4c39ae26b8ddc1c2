import Foundation
public import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
public import OAuth
import Synchronization

/// Imitates well-known providers that differ from the specifications.
extension LocalProvider {
    /// The ways in which a provider differs from the specifications.
    public struct Ways: Sendable {
        /// The standard path of each endpoint, with the provider's own path as the key.
        public var paths: [String: String]
        /// The client authentication methods in the metadata.
        ///
        /// The list is empty if the metadata states no methods.
        public var authMethods: [String]
        /// Whether the provider issues ID tokens and states its issuer in authorization responses (RFC 9207).
        public var isOpenID: Bool
        /// Whether the token endpoint responds with a form if the request does not accept JSON.
        public var answersInForms: Bool

        /// Creates the description of a provider that differs from the specifications only in these arguments.
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

    /// A token request with an authorization code.
    public struct Redemption: Sendable {
        /// The form parameters of the request.
        public let form: Form
        /// The value of the `Authorization` field, or `nil` if the request has none.
        public let authorization: String?
    }

    /// Sets how the provider differs from the specifications.
    public func take(_ ways: Ways) { state.withLock { $0.ways = ways } }

    /// The token requests with authorization codes, oldest first.
    public var redemptionRequests: [Redemption] { state.withLock { $0.redemptions } }

    /// Returns the standard path of the endpoint at a requested path.
    ///
    /// The standard path is relative to the issuer, and ``Ways/paths`` maps the provider's own paths to it.
    func own(_ path: String) -> String {
        let base = URLComponents(string: issuer)?.path ?? ""
        let inside = !base.isEmpty && path.hasPrefix(base + "/") ? String(path.dropFirst(base.count)) : path
        return state.withLock { $0.ways.paths[inside] } ?? inside
    }

    /// Returns the members of `json` that the query parameter `fields` lists, as Facebook does.
    ///
    /// Without `fields`, the result has all members.
    static func asked(_ json: JSONValue, _ query: String?) -> JSONValue {
        guard let fields = (try? Form(query ?? ""))?["fields"], let members = json.object else { return json }
        let named = fields.split(separator: ",").map(String.init)
        return .object(members.filter { named.contains($0.key) })
    }

    /// Returns a response whose body is a form.
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
