public import Foundation
import Moments
public import OAuth
public import OpenIDClient
public import Policies

/// A client for custom identity providers that implement the Mobile Client Access protocol.
///
/// It sends `POST {url}/apps/{tenant}/{realm}/{request}` with a JSON body and receives JSON. A call takes at most ten
/// seconds.
public struct RealmClient: Sendable {
    /// Signs a request to a URL, including its body.
    public typealias Sign = @Sendable (_ address: String, _ body: Data) async throws -> Secret

    /// The default time limit for a call.
    public static let deadline: Duration = .seconds(10)

    private let calls: OutsideCalls
    private let limit: Duration
    private let sign: Sign

    /// Creates a client over shared connections.
    ///
    /// - Parameters:
    ///   - calls: Sends the requests.
    ///   - limit: The time limit for a call.
    ///   - sign: Signs the requests to realms that require it.
    public init(_ calls: OutsideCalls, limit: Duration = RealmClient.deadline, sign: @escaping Sign) {
        self.calls = calls
        self.limit = limit
        self.sign = sign
    }

    /// Calls a provider.
    ///
    /// - Parameters:
    ///   - realm: The provider's configuration.
    ///   - call: The request.
    ///   - headers: The browser's headers that the provider is allowed to receive.
    ///   - place: The user's origin. If the provider fails but still responds, it is skipped only for this origin.
    /// - Returns: The response.
    /// - Throws: ``ProviderError``: `unavailable` if there is no response, or its status is 429 or 5xx;
    ///   `protocolViolation` for any other invalid response.
    public func ask(
        _ realm: CustomRealm,
        _ call: RealmCall,
        headers: [String: String],
        from place: String = ""
    ) async throws(ProviderError) -> RealmAnswer {
        let request = OutsideCall(
            name: realm.name,
            server: "realm \(realm.url) \(realm.issuer)",
            place: place,
            address: Self.address(realm, call),
            body: Data(call.body(headers: headers).bytes),
            limit: limit
        )
        let proof = realm.proof
        let sign = sign
        return try await calls.send(request) { request in
            switch proof {
            case .none: return request
            case .jwt:
                var signed = request
                let token = try await sign(request.address, request.body)
                signed.authorization = Secret("Bearer \(token.reveal())")
                return signed
            }
        } _: { _, json in
            try RealmAnswer(json, realm: realm.name)
        }
    }

    /// Returns the URL for a request.
    ///
    /// A name cannot add path segments to the URL.
    static func address(_ realm: CustomRealm, _ call: RealmCall) -> String {
        let base = realm.url.hasSuffix("/") ? String(realm.url.dropLast()) : realm.url
        return "\(base)/apps/\(realm.tenant)/\(realm.name)/\(call.name)"
    }
}
