public import Foundation
import Moments
public import OAuth
public import OpenIDClient
public import Policies

/// A client for custom identity providers that implement the Mobile Client Access protocol.
///
/// The client sends `POST {url}/apps/{tenant}/{realm}/{request}` with a JSON body and receives JSON.
public struct RealmClient: Sendable {
    /// A function that returns a signed token for a request to the URL `address` with the given body.
    public typealias Sign = @Sendable (_ address: String, _ body: Data) async throws -> Secret

    /// The default time limit for a call.
    public static let deadline: Duration = .seconds(10)

    private let calls: OutsideCalls
    private let limit: Duration
    private let sign: Sign

    /// Creates a client that sends requests through `calls`, and calls `sign` for realms that require a signature.
    public init(_ calls: OutsideCalls, limit: Duration = RealmClient.deadline, sign: @escaping Sign) {
        self.calls = calls
        self.limit = limit
        self.sign = sign
    }

    /// Calls a custom identity provider, and returns the provider's response.
    ///
    /// `headers` contains only headers that the provider may receive. `place` is the user's origin. If the provider
    /// fails, it is temporarily skipped, but only for users from the same origin.
    ///
    /// - Throws: A ``ProviderError`` with the code `unavailable` if there is no response or the response has status 429
    ///   or 5xx, or `protocolViolation` if the response is invalid in any other way.
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

    /// Returns the URL of a request, whose tenant and realm names cannot add path segments.
    static func address(_ realm: CustomRealm, _ call: RealmCall) -> String {
        let base = realm.url.hasSuffix("/") ? String(realm.url.dropLast()) : realm.url
        return "\(base)/apps/\(realm.tenant)/\(realm.name)/\(call.name)"
    }
}
