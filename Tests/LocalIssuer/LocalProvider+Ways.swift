import Foundation
public import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
public import OAuth
import Synchronization

/// The ways of well-known providers, as far as they are not those of the specifications.
extension LocalProvider {
    /// The ways in which a provider differs.
    public struct Ways: Sendable {
        /// Its own paths, by those at which it is asked.
        public var paths: [String: String]
        /// The methods of client authentication that its metadata name; none if they are silent.
        public var authMethods: [String]
        /// False if it gives no ID tokens, and does not name itself in what it sends people back with (RFC 9207).
        public var isOpenID: Bool
        /// True if it answers with a form whoever does not ask for JSON.
        public var answersInForms: Bool

        /// The ways of the specifications, but for these.
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

    /// A request by which a code was redeemed.
    public struct Redemption: Sendable {
        /// The form.
        public let form: Form
        /// The `Authorization` header.
        public let authorization: String?
    }

    /// From now on it has these ways.
    public func take(_ ways: Ways) { state.withLock { $0.ways = ways } }

    /// The requests by which codes were redeemed, the last one last.
    public var redemptionRequests: [Redemption] { state.withLock { $0.redemptions } }

    /// The own path for one at which it is asked: within its issuer, and by its ways.
    func own(_ path: String) -> String {
        let base = URLComponents(string: issuer)?.path ?? ""
        let inside = !base.isEmpty && path.hasPrefix(base + "/") ? String(path.dropFirst(base.count)) : path
        return state.withLock { $0.ways.paths[inside] } ?? inside
    }

    /// The members that a request has named in `fields`, as Facebook's has; all of them without it.
    static func asked(_ json: JSONValue, _ query: String?) -> JSONValue {
        guard let fields = (try? Form(query ?? ""))?["fields"], let members = json.object else { return json }
        let named = fields.split(separator: ",").map(String.init)
        return .object(members.filter { named.contains($0.key) })
    }

    /// An answer as a form.
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
    /// Its port; nil for a Unix socket.
    public var port: Int? {
        switch address {
        case .tcp(_, let port): port
        case .unix: nil
        }
    }
}
