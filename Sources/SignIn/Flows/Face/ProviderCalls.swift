public import CustomIdentity
public import FlowModel
import Moments
import OAuth
public import OpenIDClient
public import Policies

/// The calls of flows at providers outside.
public struct ProviderCalls: Sendable {
    let client: OpenIDClient
    private let registrations: @Sendable () -> [String: ProviderRegistration]

    /// Calls of a client at the current providers.
    public init(
        client: OpenIDClient,
        registrations: @escaping @Sendable () -> [String: ProviderRegistration]
    ) {
        self.client = client
        self.registrations = registrations
    }

    /// The current provider of a name; nil if there is none.
    func registration(_ name: String) -> ProviderRegistration? { registrations()[name] }

    /// The address at which a person signs in with a provider.
    func address(at name: String, _ request: ProviderRequest, loginHint: String?) async throws -> String {
        let registration = try require(name)
        do throws(ProviderError) {
            return try await client.address(at: registration, request, loginHint: loginHint)
        } catch {
            throw Refusal(error, of: registration)
        }
    }

    /// The address at which a person's browser ends their session at a provider; nil if the provider has none.
    func signOutAddress(at name: String, state: Secret) async throws -> String? {
        let registration = try require(name)
        do throws(ProviderError) {
            return try await client.signOutAddress(at: registration, state: state)
        } catch {
            throw Refusal(error, of: registration)
        }
    }

    /// The person whom a provider's answer proves; throws `ProviderError` only if the provider turned the person away.
    func identity(
        at name: String,
        _ request: ProviderRequest,
        _ answer: ProviderAnswer
    ) async throws -> ProviderIdentity {
        let registration = try require(name)
        do throws(ProviderError) {
            return try await client.identity(at: registration, request, answer)
        } catch {
            guard error.code != .denied else { throw error }
            throw Refusal(error, of: registration)
        }
    }

    /// The person whom a provider's own token proves; throws `ProviderError` only if it is not valid, or not ours.
    func identity(at name: String, brought token: BroughtToken, fresh: FreshProof?) async throws -> ProviderIdentity {
        let registration = try require(name)
        do throws(ProviderError) {
            return try await client.identity(at: registration, brought: token, fresh: fresh)
        } catch {
            guard error.code != .denied else { throw error }
            throw Refusal(error, of: registration)
        }
    }

    private func require(_ name: String) throws(Refusal) -> ProviderRegistration {
        guard let registration = registration(name) else { throw Refusals.noProvider }
        return registration
    }
}

extension Refusal {
    /// The refusal of a step that a provider has failed.
    public init(_ error: ProviderError, of registration: ProviderRegistration) {
        self.init(error, ofProvider: registration.displayName)
    }

    /// The refusal of a step that the provider of a name has failed.
    init(_ error: ProviderError, ofProvider name: String) {
        let refusal: Refusal =
            switch error.code {
            case .unavailable: Refusal(.providerUnavailable, Text("refusal.providerSilent", ["provider": name]))
            case .protocolViolation, .denied, .invalidGrant:
                Refusal(.providerProtocol, Text("refusal.providerWrong", ["provider": name]))
            }
        let told = refusal.because(error.description)
        self = error.retryAfter.map { told.retrying(afterMs: max(1, $0.milliseconds)) } ?? told
    }
}

/// The calls at providers of one's own, and what their statements are addressed to.
public struct RealmCalls: Sendable {
    /// The client of those that ask questions.
    let client: RealmClient
    /// Returns the names of this authority in statements for a policy.
    let audiences: @Sendable (PolicyID) -> [String]

    /// Calls of a client.
    ///
    /// - Parameters:
    ///   - client: The client of those that ask questions.
    ///   - audiences: Returns the names of this authority in statements for a policy.
    public init(client: RealmClient, audiences: @escaping @Sendable (PolicyID) -> [String]) {
        self.client = client
        self.audiences = audiences
    }
}
