public import Foundation
import Moments
public import OAuth
public import OpenIDClient
public import Policies

/// A client of custom identity providers, in the protocol of Mobile Client Access: `POST {url}/apps/{tenant}/{realm}/{request}`,
/// JSON both ways, within ten seconds.
public struct RealmClient: Sendable {
    /// Signs a request for an address, with its body.
    public typealias Sign = @Sendable (_ address: String, _ body: Data) async throws -> Secret

    /// The time within which a call ends.
    public static let deadline: Duration = .seconds(10)

    private let calls: OutsideCalls
    private let limit: Duration
    private let sign: Sign

    /// A client over shared connections.
    ///
    /// - Parameters:
    ///   - calls: The connections.
    ///   - limit: The time for a call.
    ///   - sign: Signs requests to realms that want it.
    public init(_ calls: OutsideCalls, limit: Duration = RealmClient.deadline, sign: @escaping Sign) {
        self.calls = calls
        self.limit = limit
        self.sign = sign
    }

    /// Asks a provider.
    ///
    /// - Parameters:
    ///   - realm: The provider.
    ///   - call: The request.
    ///   - headers: The headers that it may know.
    ///   - place: The place that the person comes from: a provider that fails on its answers is put aside for it alone.
    /// - Returns: The answer.
    /// - Throws: ``ProviderError``: `unavailable` if it does not answer, or says 429 or 5xx; `protocolViolation` for anything
    ///   else than the protocol.
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

    /// The address of a request; names cannot leave their segment.
    static func address(_ realm: CustomRealm, _ call: RealmCall) -> String {
        let base = realm.url.hasSuffix("/") ? String(realm.url.dropLast()) : realm.url
        return "\(base)/apps/\(realm.tenant)/\(realm.name)/\(call.name)"
    }
}
